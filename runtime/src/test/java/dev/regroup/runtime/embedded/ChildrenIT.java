package dev.regroup.runtime.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.embedded.container.ContainerRun;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.process.ProcessList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every process the runtime starts is collected, whatever the order of events. */
class ChildrenIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int MANY = 30;

  @TempDir Path directory;
  private List<Integer> before = List.of();

  @BeforeEach
  void containers_need_root() {
    RootOnly.check();
    before = zombies(); // of tests that let a process end while no runtime was open
  }

  @Test
  void containers_that_end_at_once_leave_no_zombie() throws Exception {
    try (var machine = new Machine(directory.resolve("data"))) {
      var pod = machine.sandbox();
      for (int i = 0; i < MANY; i++) {
        var spec = ContainerConfig.of(new ContainerKey(pod, "main", i), 1, List.of("true"));
        machine.run(spec);
        machine.runtime.remove(spec.key());
      }
      assertNoZombie();
    }
    assertNoZombie();
  }

  @Test
  void commands_that_cannot_be_started_leave_no_zombie() throws Exception {
    try (var machine = new Machine(directory.resolve("data"))) {
      var pod = machine.sandbox();
      for (int i = 0; i < 5; i++) {
        var spec = ContainerConfig.of(new ContainerKey(pod, "main", i), 1, List.of("/no/such"));
        assertThatThrownBy(() -> machine.runtime.start(spec)).isInstanceOf(RuntimeFailure.class);
      }
      assertNoZombie();
    }
  }

  @Test
  void commands_run_inside_a_container_leave_no_zombie() throws Exception {
    try (var machine = new Machine(directory.resolve("data"))) {
      var spec = Machine.shell(machine.sandbox(), "main", "sleep 1000");
      machine.runtime.start(spec);
      for (int i = 0; i < 10; i++) {
        machine.runtime.run(spec.key(), List.of("true"), PATIENCE, 100);
      }
      try (var session =
          machine.runtime.exec(
              spec.key(), dev.regroup.runtime.ExecRequest.of(List.of("sleep", "1000")))) {
        assertThat(session.waitFor(Duration.ZERO)).isEmpty();
      }
      assertNoZombie();
    }
  }

  @Test
  void processes_that_somebody_kills_leave_no_zombie() throws Exception {
    try (var machine = new Machine(directory.resolve("data"))) {
      var pod = Machine.newPod();
      var sandbox = machine.runtime.startSandbox(Machine.spec(pod));
      var spec = Machine.shell(pod, "main", "sleep 1000");
      machine.runtime.start(spec);
      assertThat(Facts.within(PATIENCE, () -> pid(ContainerRun.argv(spec.next().key())) != 0))
          .isTrue();
      for (int victim :
          List.of(
              pid(ContainerRun.argv(spec.next().key())),
              pid(ContainerRun.argv(spec.key())),
              sandbox.pid())) {
        Linux.kill(victim);
        assertThat(Facts.within(PATIENCE, () -> !Facts.alive(victim)))
            .as("process %d is collected", victim)
            .isTrue();
      }
    }
  }

  /** A runtime that is opened again in the same program still is the parent of what runs. */
  @Test
  void adopted_containers_leave_no_zombie() throws Exception {
    PodUid pod = Machine.newPod();
    var settings = EmbeddedRuntime.Settings.in(directory.resolve("data"));
    try (var runtime = EmbeddedRuntime.open(settings)) {
      runtime.startSandbox(Machine.spec(pod));
      runtime.start(Machine.shell(pod, "main", "sleep 1000"));
    }
    new Machine(directory.resolve("data")).close();
    assertNoZombie();
  }

  private static int pid(List<String> argv) {
    return ProcessHandle.allProcesses()
        .mapToInt(process -> (int) process.pid())
        .filter(pid -> ProcessList.runs(pid, argv))
        .findFirst()
        .orElse(0);
  }

  private void assertNoZombie() {
    assertThat(Facts.within(PATIENCE, () -> before.containsAll(zombies())))
        .as("no zombies, but there are %s", zombies())
        .isTrue();
  }

  /** Children of this program that ended and that nobody has collected. */
  private static List<Integer> zombies() {
    var found = new ArrayList<Integer>();
    try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (Path process : processes) {
        int pid = Integer.parseInt(process.getFileName().toString());
        if (ProcessList.parent(pid).orElse(0) == ProcessHandle.current().pid() && ended(process)) {
          found.add(pid);
        }
      }
    } catch (IOException e) {
      throw new AssertionError("cannot list processes", e);
    }
    return found;
  }

  private static boolean ended(Path process) {
    try {
      String stat = Files.readString(process.resolve("stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) == 'Z';
    } catch (IOException e) {
      return false; // collected meanwhile
    }
  }
}
