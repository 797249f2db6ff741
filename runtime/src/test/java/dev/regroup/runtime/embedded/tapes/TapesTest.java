package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.embedded.tapes.SampleTapes.CONTAINER_FDS;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.EXEC_FDS;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.SANDBOX_FDS;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.clone3;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.container;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.debuggingContainer;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.exec;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.groupedContainer;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.isExec;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.preparedContainer;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.privilegedContainer;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.run;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.sandbox;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.sharedSandbox;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.sharingContainer;
import static dev.regroup.runtime.embedded.tapes.SampleTapes.spec;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.Seccomp;
import dev.regroup.runtime.embedded.files.StateFile;
import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.seccomp.DefaultProfile;
import dev.regroup.runtime.tape.FakeKernel;
import dev.regroup.runtime.tape.FakeKernel.Ending;
import dev.regroup.runtime.tape.Step;
import dev.regroup.runtime.tape.Tape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The tapes of containers, sandboxes and commands, played against a fake kernel. {@code
 * -Dgolden=write} rewrites the printed forms after a wanted change.
 */
class TapesTest {

  private static final Path GOLDEN = Path.of("src/test/resources/dev/regroup/runtime/embedded");

  @Test
  void print_as_recorded() throws IOException {
    golden("container.tape", container());
    golden("sandbox.tape", sandbox());
    golden("exec.tape", exec());
    golden("container-sharing.tape", sharingContainer());
    golden("container-prepared.tape", preparedContainer().getFirst());
    golden("container-goes-on.tape", preparedContainer().getLast());
    golden("sandbox-shared.tape", sharedSandbox());
    golden("container-unified.tape", groupedContainer());
    golden("container-privileged.tape", privilegedContainer());
    golden("container-debugging.tape", debuggingContainer());
  }

  private static void golden(String name, Tape tape) throws IOException {
    Path file = GOLDEN.resolve(name);
    if ("write".equals(System.getProperty("golden"))) {
      Files.createDirectories(GOLDEN);
      Files.writeString(file, tape.print());
    }
    assertThat(tape.print()).as(name).isEqualTo(Files.readString(file)).doesNotContain("secret");
  }

  @ParameterizedTest
  @EnumSource
  void a_container_executes_its_command_and_its_parent_notes_the_end(Architecture architecture) {
    var outcome = run(container(), architecture, Map.of(), CONTAINER_FDS);

    assertThat(outcome.processes())
        .extracting(FakeKernel.Ended::child, FakeKernel.Ended::ending)
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple(true, Ending.EXECUTED),
            org.assertj.core.groups.Tuple.tuple(false, Ending.EXITED));
    assertThat(outcome.processes().getFirst().command()).containsExactly("python", "train.py");
    var exits = outcome.written("/data/pods/3f8a/containers/trainer/2/exit");
    assertThat(exits).hasSize(2); // zeros to reserve the space, then the truth
    assertThat(ByteBuffer.wrap(exits.getLast()).order(ByteOrder.LITTLE_ENDIAN).getLong(8))
        .isEqualTo(1_700_000_000L);
    var starts = outcome.written("/data/pods/3f8a/containers/trainer/2/start");
    assertThat(StateFile.start(starts.getLast()).orElseThrow().child()).isEqualTo(4712);
    assertThat(StateFile.start(starts.getLast()).orElseThrow().supervisor()).isEqualTo(4711);
    assertThat(outcome.written("control")).containsExactly(starts.getLast());
    assertThat(outcome.written("/sys/fs/cgroup/memory/g/cgroup.procs")).hasSize(1);
    assertThat(outcome.written("/data/pods/3f8a/containers/trainer/2/error")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void a_prepared_container_waits_and_goes_on_with_the_next_tape(Architecture architecture) {
    var tapes = preparedContainer();

    var waits = run(tapes.getFirst(), architecture, Map.of(), CONTAINER_FDS);
    var whole = run(tapes, architecture, Map.of(), CONTAINER_FDS);

    assertThat(waits.processes().getFirst().ending()).isEqualTo(Ending.SLEEPS);
    assertThat(waits.written("control"))
        .contains("ready".getBytes(US_ASCII))
        .anyMatch(
            message -> StateFile.start(message).filter(start -> start.child() == 4712).isPresent());
    assertThat(waits.written("/data/pods/3f8a/containers/trainer/2/start"))
        .as("zeros: nothing started")
        .containsExactly(new byte[StateFile.START_BYTES]);
    assertThat(whole.processes())
        .extracting(FakeKernel.Ended::child, FakeKernel.Ended::ending)
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple(true, Ending.EXECUTED),
            org.assertj.core.groups.Tuple.tuple(false, Ending.EXITED));
    assertThat(whole.written("/data/pods/3f8a/containers/trainer/2/exit")).hasSize(2);
    var starts = whole.written("/data/pods/3f8a/containers/trainer/2/start");
    assertThat(StateFile.start(starts.getLast()).orElseThrow())
        .isEqualTo(new StateFile.Start(4711, 4712, Instant.ofEpochSecond(1_700_000_000L)));
    assertThat(whole.written("control")).contains(starts.getLast());
  }

  @ParameterizedTest
  @EnumSource
  void a_container_is_born_in_its_unified_group_or_moves_there(Architecture architecture) {
    var tape = groupedContainer();

    var born = run(tape, architecture, Map.of(), CONTAINER_FDS);
    var moved = run(tape, architecture, Map.of(clone3(tape), Errno.ENOSYS), CONTAINER_FDS);

    assertThat(born.written("cgroup.procs")).isEmpty();
    assertThat(moved.written("cgroup.procs")).containsExactly(new byte[] {'0'});
    for (var outcome : List.of(born, moved)) {
      assertThat(outcome.processes())
          .extracting(FakeKernel.Ended::child, FakeKernel.Ended::ending)
          .containsExactly(
              org.assertj.core.groups.Tuple.tuple(true, Ending.EXECUTED),
              org.assertj.core.groups.Tuple.tuple(false, Ending.EXITED));
      var starts = outcome.written("/data/pods/3f8a/containers/trainer/2/start");
      assertThat(StateFile.start(starts.getLast()).orElseThrow().child()).isEqualTo(4712);
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_sandbox_notes_itself_and_sleeps(Architecture architecture) {
    var outcome = run(sandbox(), architecture, Map.of(), SANDBOX_FDS);

    assertThat(outcome.processes())
        .singleElement()
        .satisfies(process -> assertThat(process.ending()).isEqualTo(Ending.SLEEPS));
    assertThat(outcome.written("control")).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void a_shared_sandbox_leaves_a_sleeping_child_and_waits_for_it(Architecture architecture) {
    var outcome = run(sharedSandbox(), architecture, Map.of(), SANDBOX_FDS);

    assertThat(outcome.processes())
        .extracting(FakeKernel.Ended::child, FakeKernel.Ended::ending)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(true, Ending.SLEEPS),
            org.assertj.core.groups.Tuple.tuple(false, Ending.EXITED));
    assertThat(outcome.written("control")).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void an_exec_runs_the_command_and_passes_its_status_on(Architecture architecture) {
    var outcome = run(exec(), architecture, Map.of(), EXEC_FDS);

    assertThat(outcome.processes().getFirst().command()).containsExactly("/bin/check", "-v");
    assertThat(outcome.written("result")).hasSize(1);
    assertThat(outcome.written("control")).hasSize(1);
  }

  @Test
  void what_follows_the_filter_passes_it() {
    var profile = DefaultProfile.of(_ -> false);
    for (Tape tape : List.of(container(), exec(), container(escalating()), exec(escalating()))) {
      var calls =
          tape.steps().stream()
              .filter(Step.Call.class::isInstance)
              .map(step -> ((Step.Call) step).call())
              .dropWhile(call -> call != Syscall.SECCOMP)
              .skip(1)
              .toList();

      assertThat(calls).contains(Syscall.EXECVE, Syscall.EXIT_GROUP, Syscall.SENDTO);
      assertThat(calls).allMatch(call -> profile.allows(call.title()));
    }
  }

  @Test
  void a_filter_is_installed_while_the_right_to_do_so_is_there() {
    assertThat(container().print().lines().map(TapesTest::callOf))
        .containsSubsequence("setresuid", "prctl", "chdir", "close_range", "seccomp", "execve");
    assertThat(container(escalating()).print().lines().map(TapesTest::callOf))
        .containsSubsequence("prctl", "seccomp", "setgroups", "setresuid", "prctl", "execve");
  }

  private static String callOf(String line) {
    return line.contains("(") ? line.strip().split("[ (]+", -1)[1] : "";
  }

  /** May gain rights by executing a file, so there is no no_new_privs. */
  private static ContainerConfig escalating() {
    var user = ContainerConfig.User.of(1000, 1000).withSeccomp(Seccomp.RUNTIME_DEFAULT);
    return spec().withUser(user);
  }

  @Test
  void a_command_is_looked_for_along_the_path() {
    var tape = container();
    int first = 0;
    while (!isExec(tape.steps().get(first))) {
      first++;
    }

    var outcome = run(tape, Architecture.ARM64, Map.of(first, Errno.ENOENT), CONTAINER_FDS);

    assertThat(outcome.processes().getFirst().ending()).isEqualTo(Ending.EXECUTED);
  }
}
