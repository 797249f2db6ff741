package dev.regroup.runtime.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.SandboxRecord;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.StateFile;
import dev.regroup.runtime.process.LifeLock;
import dev.regroup.testing.ExpectsError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Supervisors and sandboxes that are killed: SEQ-25a, and what adoption checks. */
@SuppressWarnings("NullAway.Init") // set before each test
class LostContainerIT {

  private static final Duration SOON = Duration.ofSeconds(20);

  /** It does not end with its supervisor. */
  private static final String STUBBORN = "echo ready; exec setpriv --pdeathsig clear sleep 1000";

  @TempDir Path directory;
  private Path data;

  @BeforeEach
  void prepare() throws Exception {
    RootOnly.check();
    data = directory.resolve("data");
  }

  @Test
  void a_lost_container_has_exited_with_137_when_nothing_of_it_is_left() throws Exception {
    try (var machine = new Machine(data)) {
      var pod = machine.sandbox();
      for (String script :
          List.of("exec sleep 1000", STUBBORN, "trap '' TERM; sleep 1000 & wait")) {
        var spec = Machine.shell(pod, "c" + script.hashCode(), script);
        var running = machine.runtime.start(spec);
        var before = Instant.now();

        kill(supervisor(spec.key()));
        var record = machine.awaitEnd(spec.key());

        assertThat(Facts.runs(running.pid())).as(script).isFalse();
        assertThat(record.state()).isEqualTo(State.EXITED);
        assertThat(record.exitCode()).isEqualTo(OptionalInt.of(137));
        assertThat(record.reason()).isEqualTo("ContainerStatusUnknown");
        assertThat(record.finishedAt().orElseThrow()).isBetween(before, Instant.now());
        assertThat(record.startedAt()).isEqualTo(running.startedAt());
      }
    }
  }

  /** Somebody stopped it; whoever waited for its word would wait for ever. */
  @Test
  void a_stopped_supervisor_says_how_its_container_ended() throws Exception {
    try (var machine = new Machine(data)) {
      var spec = Machine.shell(machine.sandbox(), "main", "read x < /dev/shm/go; exit 7");
      var fifo = ExecRequest.of(List.of("mkfifo", "/dev/shm/go"));
      var other = Machine.shell(spec.key().pod(), "other", "exec sleep 1000");
      machine.runtime.start(other);
      assertThat(machine.runtime.run(other.key(), fifo.argv(), SOON, 99).exitCode()).hasValue(0);
      machine.runtime.start(spec);
      stop(supervisor(spec.key()));

      var go = List.of("sh", "-c", "echo > /dev/shm/go");
      assertThat(machine.runtime.run(other.key(), go, SOON, 99).exitCode()).hasValue(0);

      assertThat(machine.awaitEnd(spec.key()).exitCode()).hasValue(7);
    }
  }

  @Test
  void a_container_whose_supervisor_is_stopped_can_be_killed() throws Exception {
    try (var machine = new Machine(data)) {
      var spec = Machine.shell(machine.sandbox(), "main", "exec sleep 1000");
      machine.runtime.start(spec);
      stop(supervisor(spec.key()));

      machine.runtime.signal(spec.key(), Signal.SIGKILL);

      var record = machine.awaitEnd(spec.key());
      assertThat(record.exitCode()).hasValue(137);
      assertThat(record.reason()).as("it is known how it ended").isEqualTo("Error");
    }
  }

  @Test
  void a_supervisor_that_was_stopped_while_nobody_looked_is_told_to_go_on() throws Exception {
    var pod = Machine.newPod();
    var key = new ContainerKey(pod, "main", 0);
    int command = startAndLeave(pod, "exec sleep 1000");
    stop(supervisor(key));
    kill(command);

    try (var machine = new Machine(data)) {
      var record = machine.awaitEnd(key);

      assertThat(record.exitCode()).hasValue(137);
      assertThat(record.reason()).isEqualTo("Error");
    }
  }

  private static void stop(int pid) throws Exception {
    var stop = new ProcessBuilder("kill", "-STOP", "" + pid).inheritIO().start();
    assertThat(stop.waitFor()).isZero();
    var stat = Path.of("/proc/" + pid + "/stat");
    assertThat(
            Facts.within(
                SOON,
                () -> {
                  try {
                    return Files.readString(stat).contains(") T ");
                  } catch (IOException e) {
                    return false;
                  }
                }))
        .isTrue();
  }

  @Test
  @ExpectsError(value = "looking after an exit failed", because = "a directory is in the way")
  void an_end_that_could_not_be_looked_at_is_seen_by_who_asks_later() throws Exception {
    try (var machine = new Machine(data)) {
      var pod = machine.sandbox();
      var spec = Machine.shell(pod, "main", "exec sleep 1000");
      machine.runtime.start(spec);
      int supervisor = supervisor(spec.key());
      Path exit = new Layout(data).run(spec.key()).resolve(Layout.EXIT);
      Files.delete(exit);
      Files.createDirectory(exit); // nobody can read that
      kill(supervisor);
      assertThat(Facts.within(SOON, () -> !Facts.alive(supervisor))).as("collected").isTrue();
      Files.delete(exit);

      assertThat(machine.awaitEnd(spec.key()).reason()).isEqualTo("ContainerStatusUnknown");
    }
  }

  @Test
  void a_loss_is_noticed_once() throws Exception {
    var pod = Machine.newPod();
    var key = new ContainerKey(pod, "main", 0);
    RuntimeRecord noticed;
    try (var first = EmbeddedRuntime.open(EmbeddedRuntime.Settings.in(data))) {
      first.startSandbox(Machine.spec(pod));
      first.start(Machine.shell(pod, "main", "exec sleep 1000"));
    }
    kill(supervisor(key));
    try (var second = EmbeddedRuntime.open(EmbeddedRuntime.Settings.in(data))) {
      assertThat(
              Facts.within(SOON, () -> second.containers(pod).getFirst().state() == State.EXITED))
          .as("the command may die a moment after its supervisor")
          .isTrue();
      noticed = second.containers(pod).getFirst();
    }

    try (var machine = new Machine(data)) {
      assertThat(noticed.reason()).isEqualTo("ContainerStatusUnknown");
      assertThat(machine.record(key)).isEqualTo(noticed);
    }
  }

  @Test
  void a_command_that_outlived_program_and_supervisor_is_killed_before_it_counts_as_ended()
      throws Exception {
    var pod = Machine.newPod();
    var key = new ContainerKey(pod, "main", 0);
    int orphan = startAndLeave(pod, STUBBORN);
    kill(supervisor(key));
    assertThat(Facts.runs(orphan)).as("the test is worth something").isTrue();

    try (var machine = new Machine(data)) {
      var record = machine.awaitEnd(key);

      assertThat(Facts.runs(orphan)).isFalse();
      assertThat(record.reason()).isEqualTo("ContainerStatusUnknown");
    }
  }

  @Test
  void after_a_restart_of_the_machine_no_process_is_taken_for_an_old_one() throws Exception {
    var pod = Machine.newPod();
    var key = new ContainerKey(pod, "main", 0);
    int orphan = startAndLeave(pod, STUBBORN); // stands for a stranger with the old number
    kill(supervisor(key));
    Files.writeString(new Layout(data).boot(), "another-boot");

    try (var machine = new Machine(data)) {
      assertThat(machine.record(key).reason()).isEqualTo("ContainerStatusUnknown");
      assertThat(Facts.runs(orphan)).isTrue();
    } finally {
      kill(orphan);
    }
  }

  @Test
  void what_a_lost_container_left_in_shared_processes_is_killed_by_the_next_program()
      throws Exception {
    var pod = Machine.newPod();
    var main = new ContainerKey(pod, "main", 0);
    var other = new ContainerKey(pod, "other", 0);
    long child;
    int bystander;
    try (var first = EmbeddedRuntime.open(EmbeddedRuntime.Settings.in(data))) {
      first.startSandbox(shared(pod));
      bystander = first.start(Machine.shell(pod, "other", "exec sleep 1000")).pid();
      var script = "sh -c 'trap \"\" HUP; sleep 1000' & echo ready; wait";
      var running = first.start(Machine.shell(pod, "main", script));
      var process = ProcessHandle.of(running.pid()).orElseThrow();
      assertThat(Facts.within(SOON, () -> process.children().count() == 1)).isTrue();
      child = process.children().findFirst().orElseThrow().pid();
    }
    kill(supervisor(main));
    assertThat(Facts.within(SOON, () -> !held(main))).isTrue();
    assertThat(Facts.runs((int) child)).as("the test is worth something").isTrue();

    try (var machine = new Machine(data)) {
      assertThat(machine.awaitEnd(main).reason()).isEqualTo("ContainerStatusUnknown");
      assertThat(Facts.within(SOON, () -> !Facts.runs((int) child))).isTrue();
      assertThat(Facts.runs(bystander)).isTrue();
      assertThat(machine.record(other).state()).isEqualTo(State.RUNNING);
    }
  }

  @Test
  void a_sandbox_without_its_memory_is_not_adopted() throws Exception {
    var pod = Machine.newPod();
    startAndLeave(pod, "exec sleep 1000");
    var start = StateFile.start(new Layout(data).sandbox(pod).resolve(Layout.START)).orElseThrow();
    var shm = new Layout(data).sandbox(pod).resolve(Layout.SHM);
    var umount =
        new ProcessBuilder(
                "nsenter", "-t", "" + start.supervisor(), "-m", "umount", "-l", shm.toString())
            .inheritIO()
            .start();
    assertThat(umount.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(umount.exitValue()).isZero();

    try (var machine = new Machine(data)) {
      assertThat(machine.runtime.sandboxes())
          .singleElement()
          .satisfies(found -> assertThat(found.state()).isEqualTo(SandboxRecord.State.NOT_READY));
      assertThat(Facts.within(SOON, () -> !Facts.runs(start.supervisor()))).isTrue();
    }
  }

  @Test
  void a_killed_sandbox_is_seen_and_replaced() throws Exception {
    try (var machine = new Machine(data)) {
      var pod = machine.sandbox();
      kill(machine.runtime.sandboxes().getFirst().pid());

      machine.await(
          () -> machine.runtime.sandboxes().getFirst().state() == SandboxRecord.State.NOT_READY,
          "the end of the sandbox");
      var fresh = machine.runtime.startSandbox(Machine.spec(pod));

      assertThat(fresh.state()).isEqualTo(SandboxRecord.State.READY);
      assertThat(machine.run(Machine.shell(pod, "main", "exit 3")).exitCode())
          .isEqualTo(OptionalInt.of(3));
    }
  }

  @Test
  void a_command_executed_in_a_container_ends_with_its_supervisor() throws Exception {
    try (var machine = new Machine(data)) {
      var pod = machine.sandbox();
      var spec = Machine.shell(pod, "main", "exec sleep 1000");
      machine.runtime.start(spec);
      try (var session =
          machine.runtime.exec(
              spec.key(), ExecRequest.of(List.of("sh", "-c", "echo up; exec sleep 98")))) {
        assertThat(session.stdout().read()).isEqualTo('u');

        for (var process : processesOf("regroup-exec " + pod.value())) {
          kill(process);
        }

        assertThat(session.waitFor(SOON)).isEqualTo(OptionalInt.of(137));
        assertThat(session.stdout().readAllBytes()).asString().isEqualTo("p\n"); // and its end
      }
      assertThat(machine.record(spec.key()).state()).isEqualTo(State.RUNNING);
    }
  }

  @Test
  void a_killed_prepared_run_only_costs_its_head_start() throws Exception {
    try (var machine = new Machine(data)) {
      var pod = machine.sandbox();
      var spec = Machine.shell(pod, "main", "exec sleep 1000");
      machine.runtime.start(spec);
      String waiting = "regroup-container " + pod.value() + " main 1";
      assertThat(Facts.within(SOON, () -> processesOf(waiting).size() == 2)).isTrue();
      kill(processesOf(waiting).getFirst());

      var key = new ContainerKey(pod, "main", 1);
      var next = ContainerConfig.of(key, 1, List.of("sh", "-c", "exit 4"));
      assertThat(machine.run(next).exitCode()).isEqualTo(OptionalInt.of(4));
    }
  }

  /** A supervisor that was killed is gone before its child is, which may be told to go on. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void what_is_killed_while_it_waits_never_ran(int victim) throws Exception {
    try (var machine = new Machine(data)) {
      var pod = machine.sandbox();
      for (int round = 0; round < 5; round++) {
        machine.runtime.start(Machine.shell(pod, "main" + round, "exec sleep 1000"));
        String waiting = "regroup-container %s main%d 1".formatted(pod.value(), round);
        assertThat(Facts.within(SOON, () -> processesOf(waiting).size() == 2)).isTrue();
        kill(processesOf(waiting).get(victim));

        var key = new ContainerKey(pod, "main" + round, 1);
        var next = ContainerConfig.of(key, 1, List.of("sh", "-c", "exit 4"));
        assertThat(machine.run(next).exitCode()).isEqualTo(OptionalInt.of(4));
        assertThat(Facts.within(SOON, () -> processesOf(waiting).isEmpty())).isTrue();
      }
    }
  }

  /** Starts a container, lets go of the runtime, and returns PID 1 of the container. */
  private int startAndLeave(PodUid pod, String script) throws Exception {
    try (var first = EmbeddedRuntime.open(EmbeddedRuntime.Settings.in(data))) {
      first.startSandbox(Machine.spec(pod));
      int pid = first.start(Machine.shell(pod, "main", script)).pid();
      String wanted = script.substring(script.lastIndexOf("sleep"));
      assertThat(Facts.within(SOON, () -> commandLine(pid).equals(wanted))).isTrue();
      return pid;
    }
  }

  private static SandboxSpec shared(PodUid pod) {
    return new SandboxSpec(
        pod,
        "default",
        "worker",
        "worker-0",
        SandboxSpec.Network.POD,
        List.of(),
        SandboxSpec.Processes.SHARED,
        SandboxSpec.Ipc.POD,
        Map.of());
  }

  private int supervisor(ContainerKey key) throws Exception {
    var file = new Layout(data).run(key).resolve(Layout.START);
    return StateFile.start(file).orElseThrow().supervisor();
  }

  private static void kill(int pid) throws Exception {
    var process = ProcessHandle.of(pid).orElseThrow();
    process.destroyForcibly();
    assertThat(Facts.within(SOON, () -> !Facts.runs(pid))).isTrue();
  }

  private boolean held(ContainerKey key) {
    try {
      return LifeLock.held(new Layout(data).run(key).resolve(Layout.LOCK));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<Integer> processesOf(String line) {
    return ProcessHandle.allProcesses()
        .map(process -> (int) process.pid())
        .filter(pid -> commandLine(pid).startsWith(line))
        .toList();
  }

  private static String commandLine(int pid) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/cmdline")).replace('\0', ' ').strip();
    } catch (IOException e) {
      return ""; // it has ended
    }
  }
}
