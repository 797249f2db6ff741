package dev.regroup.control.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.informer.Item;
import dev.regroup.control.job.JobView;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.control.pods.PodReader;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.group.Roster;
import dev.regroup.rules.jobset.JobSetStatus;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The counts of a group, by several threads. */
class GroupWatchTest {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Item<JobView> JOB =
      new Item<>(
          new ObjectKey("n", "a-w-0"),
          "j",
          "1",
          JobView.read(
              Wire.tree(
                  """
                  {"metadata":{"name":"a-w-0","namespace":"n","uid":"j"},
                   "spec":{"completionMode":"Indexed","completions":2,"parallelism":2,
                    "template":{"spec":{"restartPolicy":"Never"}}}}
                  """)));
  private static final Roster TWO =
      new Roster(List.of(new Roster.Entry("w", List.of("a-w-0"), 2, Roster.Places.INDEXED)));

  /** Nobody would tell of the newer state again, and the group would wait for ever. */
  @Test
  void a_pod_that_is_counted_again_does_not_become_older() throws Exception {
    var cache = new AtomicReference<>(pod("1", ""));
    var watch = new GroupWatch(_ -> List.of(cache.get()), _ -> false, InstantSource.system());
    watch.follow(List.of(JOB), TWO, JobSetStatus.EMPTY);
    assertThat(watch.atBarrier()).isZero();
    var arrived = pod("2", "\"jobset.sigs.k8s.io/in-place-restart-attempt\":\"0\",");
    var informer =
        Thread.ofPlatform()
            .unstarted(() -> {
              cache.set(arrived);
              watch.changed(arrived);
            });

    watch.lookAgain(() -> {
      var seen = cache.get();
      informer.start();
      awaitBlockedOrEnded(informer);
      return Optional.of(seen);
    });
    informer.join();

    assertThat(watch.atBarrier()).isEqualTo(1);
  }

  private static void awaitBlockedOrEnded(Thread thread) {
    long deadline = System.nanoTime() + SOON.toNanos();
    while (thread.getState() != Thread.State.BLOCKED && thread.isAlive()) {
      assertThat(System.nanoTime()).as("%s is told", thread).isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static Item<ControlledPod> pod(String version, String annotations) {
    var pod =
        Wire.tree(
            """
            {"metadata":{"name":"a-w-0-0","namespace":"n","uid":"u","resourceVersion":"%s",
              "labels":{"jobset.sigs.k8s.io/jobset-name":"a","job-name":"a-w-0"},
              "annotations":{%s"batch.kubernetes.io/job-completion-index":"0",
               "jobset.sigs.k8s.io/inject-in-place-restart-agent":"node"},
              "ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"a-w-0","uid":"j",
               "controller":true}]},
             "spec":{"nodeName":"one","restartPolicy":"Never","containers":[{"name":"worker"}]},
             "status":{"phase":"Running"}}
            """
                .formatted(version, annotations));
    var reader = new PodReader(EnumSet.allOf(RuleGate.class));
    return new Item<>(new ObjectKey("n", "a-w-0-0"), "u", version, reader.read(pod));
  }
}
