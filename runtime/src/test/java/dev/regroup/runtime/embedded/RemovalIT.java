package dev.regroup.runtime.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodNetwork;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.linux.Spawn;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A pod is removed while it starts: nothing of it stays, whoever called first. */
@Timeout(60)
class RemovalIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @TempDir Path directory;

  @BeforeEach
  void containers_need_root() {
    RootOnly.check();
  }

  /** Holds every attach until it is told to go on. */
  private static final class SlowNetwork implements PodNetwork {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);
    final Set<PodUid> addresses = ConcurrentHashMap.newKeySet();

    @Override
    public InetAddress attach(PodUid pod, SandboxProcess sandbox) throws RuntimeFailure {
      addresses.add(pod);
      begun.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new RuntimeFailure(RuntimeFailure.Kind.SYSTEM, "closed", e);
      }
      return InetAddress.getLoopbackAddress();
    }

    @Override
    public void detach(PodUid pod) {
      addresses.remove(pod);
    }
  }

  @Test
  void a_pod_that_is_removed_while_its_sandbox_starts_leaves_nothing() throws Exception {
    var network = new SlowNetwork();
    var settings = EmbeddedRuntime.Settings.in(directory.resolve("data")).withNetwork(network);
    try (var runtime = EmbeddedRuntime.open(settings)) {
      var pod = Machine.newPod();
      var starting = thread(() -> runtime.startSandbox(Machine.spec(pod)));
      network.begun.await();
      starting.interrupt(); // as the node does with the worker of a pod that is gone
      var removing = thread(() -> runtime.removePod(pod));
      assertThat(Facts.within(PATIENCE, () -> waits(removing))).isTrue();
      network.goOn.countDown();
      assertThat(removing.join(PATIENCE)).isTrue();
      assertThat(starting.join(PATIENCE)).isTrue();

      assertThat(runtime.sandboxes()).isEmpty();
      assertThat(runtime.pods()).isEmpty();
      assertThat(network.addresses).isEmpty();
      assertThat(Machine.processesWith(pod.value())).isEmpty();
    }
  }

  @Test
  void a_caller_that_is_interrupted_leaves_when_its_start_is_over() throws Exception {
    var network = new SlowNetwork();
    var settings = EmbeddedRuntime.Settings.in(directory.resolve("data")).withNetwork(network);
    try (var runtime = EmbeddedRuntime.open(settings)) {
      var pod = Machine.newPod();
      var starting = thread(() -> runtime.startSandbox(Machine.spec(pod)));
      network.begun.await();
      starting.interrupt();
      assertThat(starting.join(Duration.ofMillis(50))).as("the start still goes on").isFalse();
      network.goOn.countDown();
      assertThat(starting.join(PATIENCE)).isTrue();

      assertThat(runtime.sandboxes()).hasSize(1);
      runtime.removePod(pod);
    }
  }

  @Test
  void processes_without_any_record_are_ended_at_the_next_start() throws Exception {
    Path data = directory.resolve("data");
    var pod = Machine.newPod();
    try (var runtime = EmbeddedRuntime.open(EmbeddedRuntime.Settings.in(data))) {
      runtime.startSandbox(Machine.spec(pod));
      runtime.start(
          ContainerConfig.of(new ContainerKey(pod, "main", 0), 1, List.of("sleep", "1000")));
    }
    Files.move(data.resolve("pods").resolve(pod.value()), directory.resolve("hidden"));
    assertThat(Machine.processesWith(pod.value())).hasSize(2);
    int other = Spawn.start(Path.of("/bin/sleep"), List.of("sleep", "1000"), List.of(), Map.of());

    try (var runtime = EmbeddedRuntime.open(EmbeddedRuntime.Settings.in(data))) {
      assertThat(Machine.processesWith(pod.value())).isEmpty();
      assertThat(runtime.pods()).isEmpty();
      assertThat(Facts.alive(other)).as("a process of somebody else").isTrue();
    } finally {
      dev.regroup.runtime.linux.Linux.kill(other);
      dev.regroup.runtime.linux.Linux.reapWaiting(other);
    }
  }

  @Test
  void processes_without_any_record_are_ended_with_everything_else() throws Exception {
    try (var machine = new Machine(directory.resolve("data"))) {
      var pod = machine.sandbox();
      machine.runtime.start(Machine.shell(pod, "main", "sleep 1000"));
      String next = pod.value() + " main 1";
      assertThat(Facts.within(PATIENCE, () -> Machine.processesWith(next).size() == 2))
          .as("nothing starts any more")
          .isTrue();
      Path records = machine.directory.resolve("pods").resolve(pod.value());
      Files.move(records, directory.resolve("hidden"));
      assertThat(machine.runtime.pods()).isEmpty();

      machine.runtime.endStrays();

      assertThat(Machine.processesWith(pod.value())).isEmpty();
    }
  }

  private interface Action {
    void run() throws Exception;
  }

  private static Thread thread(Action action) {
    return Thread.ofVirtual()
        .start(() -> {
          try {
            action.run();
          } catch (Exception e) {
            return; // what is left behind is what the test looks at
          }
        });
  }

  private static boolean waits(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        || thread.getState() == Thread.State.TIMED_WAITING;
  }
}
