package dev.regroup.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.node.FakeRuntime;
import dev.regroup.node.pod.PodThreads;
import dev.regroup.node.pod.Pokes;
import dev.regroup.node.probe.Handlers;
import dev.regroup.node.probe.ProbeTarget;
import dev.regroup.rules.pod.SeenContainer.HookState;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.testing.ExpectsError;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LifecycleHandler;
import io.fabric8.kubernetes.api.model.LifecycleHandlerBuilder;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hooks always come to an end, and tell it once. */
@Timeout(30)
class HooksTest {

  private static final Duration LONG = Duration.ofSeconds(20);

  private final FakeRuntime runtime = new FakeRuntime();
  private final Pokes pokes = new Pokes();
  private final PodThreads threads = new PodThreads();
  private final Hooks hooks = new Hooks(new Handlers(runtime), pokes, threads);
  private final BlockingQueue<Hooks.Outcome> told = new LinkedBlockingQueue<>();
  private final ContainerKey key = new ContainerKey(new PodUid("u1"), "a", 0);
  private final ProbeTarget target =
      new ProbeTarget(key, new ContainerBuilder().withName("a").build(), "10.9.0.7");
  private final LifecycleHandler exec =
      new LifecycleHandlerBuilder().withNewExec().withCommand("x").endExec().build();

  @AfterEach
  void end() throws InterruptedException {
    threads.stop();
  }

  @Test
  void a_preStop_hook_tells_once_how_it_ended() throws Exception {
    hooks.beginPreStop(target, exec, LONG, told::add);

    assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo(Hooks.Outcome.SUCCEEDED);
    threads.stop();
    assertThat(told).isEmpty();
  }

  /** TERM-04. */
  @Test
  void a_preStop_hook_that_ends_with_its_limit_tells_once() throws Exception {
    runtime.onRun((_, timeout) -> {
      Thread.sleep(timeout); // the hook and its limit are over in the same moment
      return OptionalInt.empty();
    });
    for (int i = 0; i < 50; i++) {
      hooks.beginPreStop(target, exec, Duration.ofMillis(2), told::add);
      assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo(Hooks.Outcome.FAILED);
    }
    threads.stop();
    assertThat(told).isEmpty();
  }

  @Test
  void a_preStop_hook_that_sleeps_longer_than_its_limit_has_failed() throws Exception {
    var sleep = new LifecycleHandlerBuilder().withNewSleep().withSeconds(100L).endSleep().build();

    hooks.beginPreStop(target, sleep, Duration.ofMillis(5), told::add);

    assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo(Hooks.Outcome.FAILED);
  }

  @Test
  void a_preStop_hook_that_is_abandoned_tells_nobody() throws Exception {
    var runs = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    runtime.onRun((_, _) -> {
      runs.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        return OptionalInt.of(0); // it succeeds just as it is abandoned
      }
      return OptionalInt.of(0);
    });
    hooks.beginPreStop(target, exec, LONG, told::add);
    runs.await();

    assertThat(hooks.abandonPreStop(key)).isTrue();

    threads.stop();
    assertThat(told).isEmpty();
  }

  /** HOOK-04: such a handler can be written but never runs. */
  @Test
  void a_hook_that_exits_with_an_error_or_only_opens_a_connection_has_failed() throws Exception {
    runtime.onRun((_, _) -> OptionalInt.of(1));
    var tcp =
        new LifecycleHandlerBuilder()
            .withNewTcpSocket()
            .withPort(new IntOrString(80))
            .endTcpSocket()
            .build();

    hooks.beginPreStop(target, exec, LONG, told::add);
    assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo(Hooks.Outcome.FAILED);
    hooks.beginPreStop(target, tcp, LONG, told::add);

    assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo(Hooks.Outcome.FAILED);
  }

  @Test
  @ExpectsError(value = "hook of u1/a/0 failed", because = "its handler throws")
  void a_hook_that_breaks_has_failed_at_once() throws Exception {
    runtime.onRun((_, _) -> {
      throw new IllegalStateException("bug");
    });
    hooks.beginPostStart(target, exec);
    hooks.beginPreStop(target, exec, LONG, told::add);

    assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo(Hooks.Outcome.FAILED);
    while (hooks.postStart(key) == HookState.RUNNING) {
      pokes.await(Duration.ofMillis(10));
    }
    assertThat(hooks.postStart(key)).isEqualTo(HookState.FAILED);
  }
}
