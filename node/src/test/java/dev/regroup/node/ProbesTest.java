package dev.regroup.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.node.probe.Handlers;
import dev.regroup.node.probe.ProbeTarget;
import dev.regroup.node.probe.ProbeVerdict;
import dev.regroup.node.probe.ProbeWorkers;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer.ProbeResult;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.testing.ExpectsError;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Probes go on whatever breaks, and say nothing about a run that is over. */
@Timeout(30)
class ProbesTest {

  private final FakeRuntime runtime = new FakeRuntime();
  private final LinkedBlockingQueue<String> news = new LinkedBlockingQueue<>();
  private final LinkedBlockingQueue<String> judged = new LinkedBlockingQueue<>();
  private final ContainerKey key = new ContainerKey(new PodUid("u1"), "a", 0);
  private final ProbeWorkers probes =
      new ProbeWorkers(
          new Handlers(runtime),
          InstantSource.system(),
          new ProbeWorkers.Listener() {
            @Override
            public void judged(ProbeKind kind, ProbeVerdict verdict, Duration took) {
              judged.add(kind + " " + verdict.getClass().getSimpleName());
            }

            @Override
            public void changed() {
              news.add("changed");
            }

            @Override
            public void unhealthy(ContainerKey key, String message) {
              news.add(message);
            }

            @Override
            public void warning(ContainerKey key, String message) {
              news.add(message);
            }
          });

  @AfterEach
  void end() throws InterruptedException {
    probes.stop();
  }

  /** PRB-07: three tries, and then it is as if it had not been asked. */
  @Test
  @ExpectsError(value = "readiness probe of u1/a/0 broke", because = "its handler throws")
  void a_probe_that_breaks_goes_on() throws Exception {
    var runs = new AtomicInteger();
    runtime.onRun((_, _) -> {
      if (runs.incrementAndGet() <= 3) { // all tries of the first run
        throw new IllegalStateException("bug");
      }
      return OptionalInt.of(0);
    });

    watch(new ContainerBuilder().withName("a").withReadinessProbe(probe()));

    assertThat(news.poll(20, TimeUnit.SECONDS)).contains("errored").contains("bug");
    assertThat(news.poll(20, TimeUnit.SECONDS)).isEqualTo("changed");
    assertThat(probes.results(key)).containsEntry(ProbeKind.READINESS, ProbeResult.SUCCESS);
    assertThat(judged).startsWith("READINESS Unable", "READINESS Success"); // OBS-03
  }

  /** An agent opens its port when its group goes on: nobody waits for the next whole second. */
  @Test
  void a_startup_probe_that_is_hurried_succeeds_before_its_turn() throws Exception {
    var runs = new AtomicInteger();
    runtime.onRun((_, _) -> OptionalInt.of(runs.incrementAndGet() < 3 ? 1 : 0));
    watch(new ContainerBuilder().withName("a").withStartupProbe(seldom()));
    assertThat(news.poll(20, TimeUnit.SECONDS)).contains("Startup probe failed");

    probes.hurry();

    assertThat(news.poll(20, TimeUnit.SECONDS)).isEqualTo("changed");
    assertThat(probes.results(key)).containsEntry(ProbeKind.STARTUP, ProbeResult.SUCCESS);
  }

  @Test
  void what_a_hurried_probe_sees_too_early_counts_nowhere() throws Exception {
    var runs = new Semaphore(0);
    runtime.onRun((_, _) -> {
      runs.release();
      return OptionalInt.of(1);
    });
    watch(new ContainerBuilder().withName("a").withStartupProbe(seldom()));
    assertThat(news.poll(20, TimeUnit.SECONDS)).contains("Startup probe failed");

    probes.hurry();

    assertThat(runs.tryAcquire(4, 20, TimeUnit.SECONDS)).isTrue();
    assertThat(probes.results(key)).isEmpty();
    assertThat(news).isEmpty();
    assertThat(judged).hasSize(1);
  }

  /** Its second failure is the last, and comes after the test. */
  private static Probe seldom() {
    return new ProbeBuilder(probe()).withPeriodSeconds(600).withFailureThreshold(2).build();
  }

  /** PRB-13. */
  @Test
  void a_check_that_ends_after_its_run_says_nothing() throws Exception {
    var runs = new CountDownLatch(1);
    var never = new CountDownLatch(1);
    runtime.onRun((_, _) -> {
      runs.countDown();
      try {
        never.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // a check that cannot be interrupted comes to its end
      }
      return OptionalInt.of(1);
    });
    watch(new ContainerBuilder().withName("a").withReadinessProbe(probe()));
    runs.await();

    probes.ended(key);

    probes.stop();
    assertThat(news).isEmpty();
    assertThat(probes.results(key)).isEmpty();
  }

  /** PRB-01, PRB-06, ACC-184: with a period of 30 s. */
  @Test
  void readiness_is_asked_as_soon_as_startup_succeeded_and_once() throws Exception {
    var asked = new LinkedBlockingQueue<String>();
    runtime.onRun((argv, _) -> {
      asked.add(argv.getFirst());
      return OptionalInt.of(0);
    });
    var container =
        new ContainerBuilder()
            .withName("a")
            .withStartupProbe(probe("startup", 1))
            .withReadinessProbe(probe("ready", 30));

    watch(container);
    watch(container); // every look of the pod's worker does

    assertThat(asked.poll(20, TimeUnit.SECONDS)).isEqualTo("startup");
    assertThat(asked.poll(20, TimeUnit.SECONDS)).isEqualTo("ready");
    probes.stop();
    assertThat(asked).isEmpty();
  }

  /** PRB-03, ACC-182. */
  @Test
  void liveness_is_not_asked_before_startup_succeeded_and_startup_not_after() throws Exception {
    var asked = new LinkedBlockingQueue<String>();
    var started = new CountDownLatch(3);
    runtime.onRun((argv, _) -> {
      asked.add(argv.getFirst());
      started.countDown();
      return OptionalInt.of(argv.contains("startup") && started.getCount() > 0 ? 1 : 0);
    });

    watch(
        new ContainerBuilder()
            .withName("a")
            .withStartupProbe(
                new ProbeBuilder(probe("startup", 1)).withFailureThreshold(60).build())
            .withLivenessProbe(probe("live", 1)));

    var order = new ArrayList<String>();
    while (order.size() < 5) {
      order.add(asked.poll(20, TimeUnit.SECONDS));
    }
    assertThat(order).containsExactly("startup", "startup", "startup", "live", "live");
    assertThat(probes.results(key)).doesNotContainValue(ProbeResult.FAILURE);
  }

  /** PRB-12. */
  @Test
  void a_pod_that_ends_is_only_asked_whether_it_is_ready() throws Exception {
    var asked = new LinkedBlockingQueue<String>();
    var ends = new CountDownLatch(1);
    runtime.onRun((argv, _) -> {
      asked.add(argv.getFirst());
      if (argv.contains("live")) {
        ends.await(); // so that it is under way when the pod ends
      }
      return OptionalInt.of(argv.contains("live") ? 1 : 0);
    });
    watch(
        new ContainerBuilder()
            .withName("a")
            .withLivenessProbe(new ProbeBuilder(probe("live", 1)).withFailureThreshold(60).build())
            .withReadinessProbe(probe("ready", 1)));
    while (!"live".equals(asked.poll(20, TimeUnit.SECONDS))) {
      continue; // until both have begun
    }

    probes.podEnds();

    asked.clear();
    ends.countDown();
    for (int i = 0; i < 3; i++) {
      assertThat(asked.poll(20, TimeUnit.SECONDS)).isEqualTo("ready");
    }
    assertThat(probes.results(key)).doesNotContainKey(ProbeKind.LIVENESS);
  }

  private void watch(ContainerBuilder container) {
    var target = new ProbeTarget(key, container.build(), "10.9.0.7");
    probes.watch(new ProbeWorkers.Running(target, Instant.EPOCH, Map.of()));
  }

  private static Probe probe() {
    return probe("x", 1);
  }

  private static Probe probe(String command, int period) {
    return new ProbeBuilder()
        .withNewExec()
        .withCommand(command)
        .endExec()
        .withPeriodSeconds(period)
        .withFailureThreshold(1)
        .build();
  }
}
