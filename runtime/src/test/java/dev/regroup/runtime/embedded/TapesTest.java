package dev.regroup.runtime.embedded;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerSpec;
import dev.regroup.runtime.ContainerSpec.Mount.Access;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.Seccomp;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The three tapes, performed against a fake kernel: as they are, and with every record failing in
 * turn. {@code -Dgolden=write} rewrites the printed forms after a wanted change.
 */
class TapesTest {

  private static final Path GOLDEN = Path.of("src/test/resources/dev/regroup/runtime/embedded");
  private static final PodUid POD = new PodUid("3f8a");
  private static final Map<Integer, String> CONTAINER_FDS =
      Map.of(
          0,
          "in",
          1,
          "out",
          2,
          "err",
          3,
          "tape",
          4,
          "control",
          5,
          "lock",
          6,
          "sandbox",
          7,
          "overlay of /usr",
          40,
          "x");
  private static final Map<Integer, String> SANDBOX_FDS =
      Map.of(0, "in", 1, "out", 2, "err", 3, "tape", 4, "control", 5, "lock", 41, "x");
  private static final Map<Integer, String> EXEC_FDS =
      Map.of(
          0,
          "in",
          1,
          "out",
          2,
          "err",
          3,
          "tape",
          4,
          "control",
          5,
          "container",
          6,
          "stdin",
          7,
          "stdout",
          8,
          "stderr",
          9,
          "result");

  private static final ContainerPlan.Membership FILES =
      new ContainerPlan.GroupFiles(List.of(Path.of("/sys/fs/cgroup/memory/g/cgroup.procs")));
  private static final ContainerPlan.Membership UNIFIED =
      new ContainerPlan.UnifiedGroup(Path.of("/sys/fs/cgroup/g"));

  private static ContainerSpec spec() {
    return ContainerSpec.of(new ContainerKey(POD, "trainer", 2), 3, List.of("python", "train.py"))
        .withEnv(Map.of("PATH", "/opt/bin:/usr/bin", "TOKEN", "secret"))
        .withUser(
            new ContainerSpec.User(
                1000,
                1000,
                List.of(5, 6),
                dev.regroup.runtime.Capabilities.DEFAULT,
                ContainerSpec.Privilege.ORDINARY,
                ContainerSpec.Escalation.DENIED,
                Seccomp.RUNTIME_DEFAULT))
        .withRoot(ContainerSpec.RootFilesystem.READ_ONLY)
        .withWorkingDir("/work");
  }

  private static Tape container() {
    return container(spec());
  }

  private static Tape sharingContainer() {
    return ContainerTape.of(plan(spec(), OptionalInt.of(4700), FILES));
  }

  private static List<Tape> preparedContainer() {
    var plan = plan(spec(), OptionalInt.empty(), FILES);
    return List.of(ContainerTape.prepared(plan), ContainerTape.goingOn(plan));
  }

  private static Tape container(ContainerSpec spec) {
    return ContainerTape.of(plan(spec, OptionalInt.empty(), FILES));
  }

  private static Tape groupedContainer() {
    return ContainerTape.of(plan(spec(), OptionalInt.empty(), UNIFIED));
  }

  private static ContainerPlan plan(
      ContainerSpec spec, OptionalInt processHolder, ContainerPlan.Membership membership) {
    var attempt = Path.of("/data/pods/3f8a/containers/trainer/2");
    return new ContainerPlan(
        spec,
        attempt,
        Path.of("/data/pods/3f8a/logs/trainer/2.log"),
        Path.of("/data/root"),
        Path.of("/data/pods/3f8a/sandbox/shm"),
        ContainerPlan.SandboxNetwork.OWN,
        processHolder,
        List.of(
            new RootEntry.Link(Path.of("/bin"), "usr/bin"),
            new RootEntry.Empty(Path.of("/srv")),
            new RootEntry.ReadOnly(Path.of("/opt")),
            new RootEntry.Overlay(Path.of("/usr"))),
        List.of(Path.of("/usr/data")),
        List.of(
            new ContainerPlan.Bind(
                Path.of("/data/hosts"),
                ContainerPlan.Kind.FILE,
                "/etc/hosts",
                ContainerPlan.Target.LINK,
                Access.READ_ONLY,
                false),
            new ContainerPlan.Bind(
                Path.of("/data/pods/3f8a/sandbox/volumes/fast/sub"),
                ContainerPlan.Kind.DIRECTORY,
                "/mnt/fast",
                ContainerPlan.Target.COVERABLE,
                Access.READ_WRITE,
                true)),
        membership,
        SeccompFilters.of(spec.user()));
  }

  private static Tape sandbox() {
    return sandbox(SandboxSpec.Processes.OWN);
  }

  private static Tape sharedSandbox() {
    return sandbox(SandboxSpec.Processes.SHARED);
  }

  private static Tape sandbox(SandboxSpec.Processes processes) {
    return SandboxTape.of(
        new SandboxSpec(
            POD,
            "default",
            "trainer-0",
            "trainer-0",
            SandboxSpec.Network.POD,
            List.of(new SandboxSpec.MemoryVolume("fast", 1 << 20, 0777)),
            processes),
        Path.of("/data/pods/3f8a/sandbox"));
  }

  private static Tape exec() {
    return exec(spec());
  }

  private static Tape exec(ContainerSpec spec) {
    return exec(spec, new ContainerPlan.NoGroups());
  }

  private static Tape exec(ContainerSpec spec, ContainerPlan.Membership membership) {
    var filter = SeccompFilters.of(spec.user());
    return ExecTape.of(spec, membership, filter, List.of("/bin/check", "-v"));
  }

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

    assertThat(waits.processes()).as("there is no child yet").isEmpty();
    assertThat(waits.written("control")).containsExactly("ready".getBytes(US_ASCII));
    assertThat(whole.processes())
        .extracting(FakeKernel.Ended::child, FakeKernel.Ended::ending)
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple(true, Ending.EXECUTED),
            org.assertj.core.groups.Tuple.tuple(false, Ending.EXITED));
    assertThat(whole.written("/data/pods/3f8a/containers/trainer/2/exit")).hasSize(2);
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
  void every_record_of_the_container_tape_may_fail() {
    failEach(container(), CONTAINER_FDS, "/data/pods/3f8a/containers/trainer/2/error");
  }

  @Test
  void every_record_of_the_prepared_container_tape_may_fail() {
    var tapes = preparedContainer();
    String errorFile = "/data/pods/3f8a/containers/trainer/2/error";
    failEach(tapes, 0, opens(tapes.getFirst(), errorFile), CONTAINER_FDS, errorFile, Map.of());
    failEach(tapes, 1, -1, CONTAINER_FDS, errorFile, Map.of());
  }

  @Test
  void every_record_of_a_container_tape_with_a_unified_group_may_fail() {
    var tape = groupedContainer();
    String errors = "/data/pods/3f8a/containers/trainer/2/error";

    failEach(tape, CONTAINER_FDS, errors);
    failEach(tape, CONTAINER_FDS, errors, Map.of(clone3(tape), Errno.ENOSYS));
  }

  private static int clone3(Tape tape) {
    int record = 0;
    while (!(tape.steps().get(record) instanceof Step.Call call) || call.call() != Syscall.CLONE3) {
      record++;
    }
    return record;
  }

  @Test
  void every_record_of_the_sandbox_tape_may_fail() {
    failEach(sandbox(), SANDBOX_FDS, "/data/pods/3f8a/sandbox/error");
  }

  @Test
  void every_record_of_the_tapes_of_a_shared_process_namespace_may_fail() {
    failEach(sharingContainer(), CONTAINER_FDS, "/data/pods/3f8a/containers/trainer/2/error");
    failEach(sharedSandbox(), SANDBOX_FDS, "/data/pods/3f8a/sandbox/error");
  }

  @Test
  void every_record_of_the_exec_tape_may_fail() {
    var grouped = exec(spec(), UNIFIED);

    failEach(exec(), EXEC_FDS, "nowhere");
    failEach(grouped, EXEC_FDS, "nowhere");
    failEach(grouped, EXEC_FDS, "nowhere", Map.of(clone3(grouped), Errno.ENOSYS));
  }

  /** A call that must not fail is blamed by name and ends the start; any other changes nothing. */
  private static void failEach(Tape tape, Map<Integer, String> fds, String errorFile) {
    failEach(tape, fds, errorFile, Map.of());
  }

  /** The same where some records fail in any case. */
  private static void failEach(
      Tape tape, Map<Integer, String> fds, String errorFile, Map<Integer, Integer> always) {
    failEach(List.of(tape), 0, opens(tape, errorFile), fds, errorFile, always);
  }

  /** The same for one of several tapes that follow each other. */
  private static void failEach(
      List<Tape> tapes,
      int which,
      int errorOpened,
      Map<Integer, String> fds,
      String errorFile,
      Map<Integer, Integer> always) {
    var good = run(tapes, Architecture.X86_64, always, fds);
    int before = tapes.subList(0, which).stream().mapToInt(tape -> tape.steps().size()).sum();
    var tape = tapes.get(which);
    int blamed = 0;
    for (int i = 0; i < tape.steps().size(); i++) {
      if (!(tape.steps().get(i) instanceof Step.Call call)) {
        continue;
      }
      if (call.call() == Syscall.EXIT_GROUP || call.call() == Syscall.PPOLL) {
        continue; // these do not return
      }
      String what = tape.name() + " record " + i + " " + call.call().title();
      var failing = new HashMap<>(always);
      failing.put(before + i, Errno.EPERM);
      var outcome = run(tapes, Architecture.X86_64, failing, fds);
      var reports =
          outcome.written("control").stream()
              .filter(message -> message.length == tape.reportBytes())
              .toList();
      assertThat(outcome.processes()).as(what).isNotEmpty();
      switch (call.onError()) {
        case GOES_ON ->
            assertThat(outcome.processes().getFirst().ending())
                .as(what)
                .isEqualTo(good.processes().getFirst().ending());
        case FAILS -> {
          if (!good.played().contains(before + i)) {
            continue; // as a second place to look for the command, if the first has it
          }
          blamed++;
          assertThat(reports).as(what).hasSize(1);
          var failure = tape.failures(reports.getFirst()).getLast();
          assertThat(failure.step()).as(what).isEqualTo(i);
          assertThat(failure.errno()).as(what).isEqualTo(Errno.EPERM);
          assertThat(outcome.processes())
              .as(what)
              .allMatch(process -> process.ending() == Ending.EXITED);
          var kept = outcome.written(errorFile);
          assertThat(kept).as(what).hasSize(i > errorOpened ? 1 : 0);
          kept.forEach(bytes -> assertThat(tape.failures(bytes).getLast()).isEqualTo(failure));
        }
      }
    }
    assertThat(blamed).isGreaterThan(5);
  }

  /** The record that opens this file; the tape's length if none does. */
  private static int opens(Tape tape, String file) {
    String[] lines = tape.print().split("\n", -1);
    for (String line : lines) {
      if (line.contains("openat(AT_FDCWD, \"" + file + "\"")) {
        return Integer.parseInt(line.strip().split(" ", -1)[0]);
      }
    }
    return lines.length;
  }

  private static boolean isExec(Step step) {
    return step instanceof Step.Call call && call.call() == Syscall.EXECVE;
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
  private static ContainerSpec escalating() {
    var user = ContainerSpec.User.of(1000, 1000).withSeccomp(Seccomp.RUNTIME_DEFAULT);
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

  private static FakeKernel.Outcome run(
      Tape tape,
      Architecture architecture,
      Map<Integer, Integer> failing,
      Map<Integer, String> fds) {
    return run(List.of(tape), architecture, failing, fds);
  }

  private static FakeKernel.Outcome run(
      List<Tape> tapes,
      Architecture architecture,
      Map<Integer, Integer> failing,
      Map<Integer, String> fds) {
    return new FakeKernel(tapes, architecture, failing).run(fds);
  }
}
