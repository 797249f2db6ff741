package dev.regroup.runtime.embedded.container;

import static dev.regroup.runtime.SandboxRecord.State.READY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerConfig.Mount;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.StopOrder;
import dev.regroup.runtime.embedded.EmbeddedRuntime;
import dev.regroup.runtime.embedded.Facts;
import dev.regroup.runtime.embedded.Machine;
import dev.regroup.runtime.embedded.RootOnly;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.process.ProcessList;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The next run of a running container waits, ready to go. */
class NextRunsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @TempDir Path directory;

  @BeforeEach
  void containers_need_root() {
    RootOnly.check();
  }

  @Test
  void a_restart_goes_on_with_the_process_that_waits() throws Exception {
    try (var machine = new Machine(directory.resolve("data"))) {
      var spec =
          worker(machine.sandbox()).withEnv(Map.of("PATH", "/usr/bin:/bin", "GREETING", "hello"));
      machine.runtime.start(spec);
      int waits = awaitNext(spec);
      assertThat(machine.runtime.loggedRuns(spec.key().pod(), "main"))
          .as("a run that only waits does not count")
          .containsExactly(0);
      end(machine, spec.key());

      var record =
          machine.runtime.start(
              spec.next().withEnv(Map.of("PATH", "/usr/bin:/bin", "GREETING", "hello again")));

      assertThat(machine.firstLine(spec.next().key())).isEqualTo("hello again");
      assertThat(record.pid()).isEqualTo(waits);
      assertThat(machine.runtime.loggedRuns(spec.key().pod(), "main")).containsExactly(0, 1);
      end(machine, spec.next().key());
      assertThat(machine.record(spec.next().key()).exitCode()).isEqualTo(OptionalInt.of(137));
    }
    assertThat(Machine.processesWith(directory.toString())).isEmpty();
  }

  @Test
  void one_with_another_working_directory_is_started_afresh() throws Exception {
    try (var machine = new Machine(directory.resolve("data"))) {
      var spec = worker(machine.sandbox());
      machine.runtime.start(spec);
      int waits = awaitNext(spec);
      end(machine, spec.key());

      var changed = spec.next().withWorkingDir("/elsewhere");
      var record = machine.runtime.start(changed);

      assertThat(Files.readSymbolicLink(Path.of("/proc/" + record.pid() + "/cwd")))
          .hasToString("/elsewhere");
      assertThat(record.pid()).isNotEqualTo(waits);
      assertThat(Path.of("/proc/" + waits)).as("what waited in vain is gone").doesNotExist();
    }
  }

  @Test
  void a_mounted_directory_that_was_replaced_is_seen() throws Exception {
    Path mounted = Files.createDirectory(directory.resolve("mounted"));
    Files.writeString(mounted.resolve("text"), "old\n");
    try (var machine = new Machine(directory.resolve("data"))) {
      var spec =
          ContainerConfig.of(
                  new ContainerKey(machine.sandbox(), "main", 0),
                  1,
                  List.of("sh", "-c", "cat /mnt/text; sleep 1000"))
              .withMounts(List.of(Mount.of(mounted, "/mnt")));
      machine.runtime.start(spec);
      awaitNext(spec);
      Files.move(mounted, directory.resolve("elsewhere"));
      Files.createDirectory(mounted);
      Files.writeString(mounted.resolve("text"), "new\n");
      end(machine, spec.key());

      machine.runtime.start(spec.next());

      assertThat(machine.firstLine(spec.next().key())).isEqualTo("new");
    }
  }

  @Test
  void one_that_was_killed_is_not_missed() throws Exception {
    try (var machine = new Machine(directory.resolve("data"))) {
      var spec = worker(machine.sandbox());
      machine.runtime.start(spec);
      int waits = awaitNext(spec);
      Linux.kill(waits);
      assertThat(Facts.within(PATIENCE, () -> !Facts.alive(waits))).isTrue();
      end(machine, spec.key());

      var record = machine.runtime.start(spec.next());

      assertThat(record.state()).isEqualTo(State.RUNNING);
    }
  }

  @Test
  void a_command_that_is_gone_is_refused_like_any_other() throws Exception {
    Path tools = Files.createDirectory(directory.resolve("tools"));
    Path tool = Files.writeString(tools.resolve("tool"), "#!/bin/sh\nsleep 1000\n");
    Files.setAttribute(tool, "unix:mode", 0755);
    try (var machine = new Machine(directory.resolve("data"))) {
      var spec =
          ContainerConfig.of(
                  new ContainerKey(machine.sandbox(), "main", 0), 1, List.of("/tools/tool"))
              .withMounts(List.of(Mount.of(tools, "/tools")));
      machine.runtime.start(spec);
      awaitNext(spec);
      Files.delete(tool);
      end(machine, spec.key());

      Assertions.assertThatThrownBy(() -> machine.runtime.start(spec.next()))
          .isInstanceOf(RuntimeFailure.class)
          .hasMessageContaining("/tools/tool");

      assertThat(machine.record(spec.next().key()).exitCode()).isEqualTo(OptionalInt.of(128));
    }
  }

  @Test
  void nothing_waits_when_the_runtime_is_closed_or_the_sandbox_gone() throws Exception {
    var pod = Machine.newPod();
    var spec = worker(pod);
    var settings = EmbeddedRuntime.Settings.in(directory.resolve("data"));
    try (var runtime = EmbeddedRuntime.open(settings)) {
      runtime.startSandbox(Machine.spec(pod));
      runtime.start(spec);
      awaitNext(spec);
    }
    assertThat(waiting(spec)).isEmpty();
    assertThat(Machine.processesWith(pod.value() + " main 0")).as("it runs on").hasSize(1);

    try (var machine = new Machine(directory.resolve("data"))) {
      awaitNext(spec); // an adopted container has one too
      end(machine, spec.key());
      machine.runtime.stopSandbox(pod);
      assertThat(waiting(spec)).isEmpty();
    }
  }

  @Test
  void nothing_waits_in_a_sandbox_that_is_replaced_SEQ_25() throws Exception {
    try (var machine = new Machine(directory.resolve("data"))) {
      var pod = Machine.newPod();
      var sandbox = machine.runtime.startSandbox(Machine.spec(pod));
      var spec = worker(pod);
      machine.runtime.start(spec);
      awaitNext(spec);
      Linux.kill(sandbox.pid());
      machine.await(
          () -> machine.runtime.sandboxes().stream().noneMatch(r -> r.state() == READY),
          "the end of the sandbox");
      end(machine, spec.key());

      machine.runtime.startSandbox(Machine.spec(pod));

      assertThat(waiting(spec)).isEmpty();
      assertThat(machine.runtime.start(spec.next()).state()).isEqualTo(State.RUNNING);
    }
  }

  /** It would hold the pod's network, and nobody knows it any more. */
  @Test
  void nothing_waits_when_what_it_mounts_is_gone() throws Exception {
    Path mounted = Files.createDirectory(directory.resolve("mounted"));
    try (var machine = new Machine(directory.resolve("data"))) {
      var spec = worker(machine.sandbox()).withMounts(List.of(Mount.of(mounted, "/mnt")));
      machine.runtime.start(spec);
      awaitNext(spec);
      end(machine, spec.key());
      Files.delete(mounted);

      Assertions.assertThatThrownBy(() -> machine.runtime.start(spec.next()))
          .isInstanceOf(RuntimeFailure.class)
          .hasMessageContaining("does not exist");

      assertThat(waiting(spec)).isEmpty();
    }
  }

  private static ContainerConfig worker(PodUid pod) {
    return ContainerConfig.of(
        new ContainerKey(pod, "main", 0), 1, List.of("sh", "-c", "echo $GREETING; sleep 1000"));
  }

  private static List<String> waiting(ContainerConfig spec) {
    var key = spec.next().key();
    return Machine.processesWith(key.pod().value() + " main " + key.run());
  }

  /** Waits until the next run waits and the runtime knows it; its process. */
  private static int awaitNext(ContainerConfig spec) {
    var argv = ContainerRun.argv(spec.next().key());
    assertThat(Facts.within(PATIENCE, () -> ready(argv) != 0 && nobodyPrepares())).isTrue();
    return ready(argv);
  }

  /** Who prepares notes the process only after it has said that it waits. */
  private static boolean nobodyPrepares() {
    return Thread.getAllStackTraces().values().stream()
        .flatMap(Arrays::stream)
        .noneMatch(frame -> frame.getClassName().equals(NextRuns.class.getName()));
  }

  private static int ready(List<String> argv) {
    return ProcessHandle.allProcesses()
        .mapToInt(process -> (int) process.pid())
        .filter(pid -> ProcessList.runs(pid, argv))
        .filter(NextRunsIT::readsFromItsSocket)
        .findFirst()
        .orElse(0);
  }

  /** The prepared tape ends up in read(2), which the kernel shows as the first word. */
  private static boolean readsFromItsSocket(int pid) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/syscall")).startsWith("0 0x4 ")
          || Files.readString(Path.of("/proc/" + pid + "/syscall")).startsWith("63 0x4 ");
    } catch (java.io.IOException e) {
      return false;
    }
  }

  private static void end(Machine machine, ContainerKey key) throws Exception {
    machine.runtime.stop(key, StopOrder.AT_ONCE);
  }
}
