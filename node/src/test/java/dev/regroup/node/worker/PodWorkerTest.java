package dev.regroup.node.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.api.pod.PodSpecs;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.replay.BugFiles;
import dev.regroup.node.pod.EffectFailure;
import dev.regroup.node.pod.Pokes;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.plan.PodPlan;
import dev.regroup.testing.ExpectsError;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread looks after a pod, whoever pokes. */
@Timeout(30)
class PodWorkerTest {

  private final Pokes pokes = new Pokes();
  private final SlowPod pod = new SlowPod();
  private final PodWorker worker =
      new PodWorker(
          "ns/p",
          pod,
          pokes,
          new PodWorker.Setting(
              NodeSettings.product(),
              InstantSource.system(),
              RandomGenerator.getDefault(),
              CrashPoint.NONE,
              BugFiles.NONE));

  @Test
  void looks_one_at_a_time_and_pokes_that_come_meanwhile_are_one_more_look_SEQ_26()
      throws Exception {
    worker.start();
    pod.begun.acquire(); // it looks

    var pokers = new Thread[8];
    for (int i = 0; i < pokers.length; i++) {
      pokers[i] =
          Thread.ofVirtual()
              .start(() -> { // an exit, a probe, a watch: all at once
                for (int j = 0; j < 50; j++) {
                  pokes.poke();
                }
              });
    }
    for (var poker : pokers) {
      poker.join();
    }
    assertThat(pod.looks).hasValue(1);
    pod.goOn.release();
    pod.begun.acquire(); // all of them together
    worker.stop();

    assertThat(pod.looks.get()).isBetween(2, 9); // not one for each of 400
    assertThat(pod.side).hasValue(0);
  }

  @Test
  @ExpectsError(value = "pod ns/p: worker failed", because = "a look fails with an error")
  void goes_on_after_an_error_that_is_no_exception() throws Exception {
    pod.failure.set(new StackOverflowError("a spec that is nested too deep"));
    worker.start();

    pod.begun.acquire();
    pod.goOn.release();
    pod.begun.acquire(); // it looks again, without a poke

    worker.stop();
    assertThat(pod.looks).hasValue(2);
  }

  /** A look takes until the test lets it end, and nothing can be done. */
  private static final class SlowPod implements PodPort {
    private final Semaphore begun = new Semaphore(0);
    private final Semaphore goOn = new Semaphore(0);
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger now = new AtomicInteger();
    private final AtomicInteger side = new AtomicInteger(); // looks beside another one
    private final AtomicReference<@Nullable Error> failure = new AtomicReference<>(); // of a look

    @Override
    public void open() {}

    @Override
    public Observed observe() throws InterruptedException {
      looks.incrementAndGet();
      if (now.incrementAndGet() > 1) {
        side.incrementAndGet();
      }
      begun.release();
      goOn.acquire();
      now.decrementAndGet();
      var error = failure.getAndSet(null);
      if (error != null) {
        throw error;
      }
      return Observed.nothing(Instant.EPOCH);
    }

    @Override
    public PodSpec spec() {
      return PodSpecs.of(
          Wire.tree(
              """
              {"metadata":{"name":"p","namespace":"ns","uid":"u1"},
               "spec":{"containers":[{"name":"a","image":"i"}]}}
              """));
    }

    @Override
    public void publish(PodPlan plan) {}

    @Override
    public void perform(Effect effect) throws EffectFailure {
      throw new EffectFailure("not now", null);
    }

    @Override
    public void settle(PodPlan plan) {}
  }
}
