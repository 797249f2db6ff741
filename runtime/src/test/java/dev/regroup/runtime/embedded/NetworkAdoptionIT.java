package dev.regroup.runtime.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.SandboxRecord;
import dev.regroup.runtime.fabric.Fabric;
import dev.regroup.runtime.fabric.Subnet;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The process that holds the pods' network is killed, with and without this program. */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // set before each test
class NetworkAdoptionIT {

  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir Path directory;
  private PodUid pod;

  @BeforeEach
  void prepare() throws Exception {
    RootOnly.check();
    pod = Machine.newPod();
  }

  /** Network and runtime as the program opens them. */
  private record Opened(Fabric fabric, EmbeddedRuntime runtime) implements AutoCloseable {

    @Override
    public void close() {
      runtime.close();
      fabric.close();
    }

    void remove() throws Exception {
      for (PodUid pod : runtime.pods()) {
        runtime.removePod(pod);
      }
      runtime.close();
      fabric.remove();
    }

    SandboxRecord sandbox() {
      return runtime.sandboxes().getFirst();
    }
  }

  private Opened open(Optional<Subnet> subnet) throws Exception {
    var fabric =
        Fabric.open(
            new Fabric.Settings(
                directory.resolve("fabric"), subnet, List.of(), RandomGenerator.getDefault()));
    var settings = EmbeddedRuntime.Settings.in(directory.resolve("data")).withNetwork(fabric);
    return new Opened(fabric, EmbeddedRuntime.open(settings));
  }

  private Opened open() throws Exception {
    return open(Optional.empty());
  }

  private InetAddress startPod() throws Exception {
    try (var first = open()) {
      var address = first.runtime().startSandbox(Machine.spec(pod)).address().orElseThrow();
      first.runtime().start(Machine.shell(pod, "main", "exec sleep 1000"));
      assertThat(reachable(address)).isTrue();
      return address;
    }
  }

  @Test
  void a_pod_whose_network_ended_while_nobody_watched_gets_it_back_with_its_address()
      throws Exception {
    var address = startPod();
    kill(holder());

    var again = open();

    try {
      assertThat(again.sandbox().state()).isEqualTo(SandboxRecord.State.READY);
      assertThat(again.sandbox().address()).contains(address);
      assertThat(reachable(address)).isTrue();
      var key = new ContainerKey(pod, "main", 0);
      assertThat(again.runtime().containers(pod))
          .singleElement()
          .satisfies(one -> assertThat(one.key()).isEqualTo(key))
          .satisfies(one -> assertThat(one.state()).isEqualTo(State.RUNNING));
    } finally {
      again.remove();
    }
  }

  @Test
  void a_pod_that_cannot_keep_its_address_loses_its_sandbox() throws Exception {
    var address = startPod();
    kill(holder());

    var again = open(Optional.of(Subnet.parse("198.19.7.0/24")));

    try {
      assertThat(again.sandbox().state()).isEqualTo(SandboxRecord.State.NOT_READY);
      again.runtime().stopSandbox(pod);
      var fresh = again.runtime().startSandbox(Machine.spec(pod));
      assertThat(fresh.address().orElseThrow()).isNotEqualTo(address);
      assertThat(reachable(fresh.address().orElseThrow())).isTrue();
    } finally {
      again.remove();
    }
  }

  @Test
  void a_holder_killed_under_the_program_is_replaced() throws Exception {
    var address = startPod();
    var again = open();
    try {
      for (int time = 0; time < 3; time++) {
        int old = holder();
        kill(old);
        assertThat(Facts.within(SOON, () -> holder() != old && Facts.alive(holder()))).isTrue();
      }
    } finally {
      again.close();
    }

    assertThat(reachable(address)).as("without the program").isTrue();
    open().remove();
  }

  /** A refused connection was answered by the pod. */
  private static boolean reachable(InetAddress address) throws IOException {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(address, 9), 5_000);
      return true;
    } catch (ConnectException e) {
      return String.valueOf(e.getMessage()).contains("refused");
    } catch (IOException e) {
      return false;
    }
  }

  private int holder() {
    try {
      String number = Files.readString(directory.resolve("fabric").resolve("holder"));
      return Integer.parseInt(number.strip());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void kill(int pid) {
    var process = ProcessHandle.of(pid).orElseThrow();
    assertThat(process.destroyForcibly()).isTrue();
    assertThat(Facts.within(SOON, () -> !Facts.runs(pid))).isTrue();
  }
}
