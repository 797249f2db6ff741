package dev.regroup.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.node.probe.Handlers;
import dev.regroup.node.probe.ProbeTarget;
import dev.regroup.node.probe.ProbeWorkers;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer.ProbeResult;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.testing.ExpectsError;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
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
  private final ContainerKey key = new ContainerKey(new PodUid("u1"), "a", 0);
  private final ProbeWorkers probes =
      new ProbeWorkers(
          new Handlers(runtime),
          InstantSource.system(),
          new ProbeWorkers.Listener() {
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
  }

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

  private void watch(ContainerBuilder container) {
    var target = new ProbeTarget(key, container.build(), "10.9.0.7");
    probes.watch(new ProbeWorkers.Running(target, Instant.EPOCH, Map.of()));
  }

  private static Probe probe() {
    return new ProbeBuilder()
        .withNewExec()
        .withCommand("x")
        .endExec()
        .withPeriodSeconds(1)
        .withFailureThreshold(1)
        .build();
  }
}
