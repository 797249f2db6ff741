package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerSpec;
import dev.regroup.runtime.ContainerSpec.Mount.Access;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.Seccomp;
import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.tape.FakeKernel;
import dev.regroup.runtime.tape.Step;
import dev.regroup.runtime.tape.Tape;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** One tape of each kind, and how they are played against a fake kernel. */
final class SampleTapes {

  private SampleTapes() {}

  private static final PodUid POD = new PodUid("3f8a");
  static final Map<Integer, String> CONTAINER_FDS =
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
  static final Map<Integer, String> SANDBOX_FDS =
      Map.of(0, "in", 1, "out", 2, "err", 3, "tape", 4, "control", 5, "lock", 41, "x");
  static final Map<Integer, String> EXEC_FDS =
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

  static final ContainerPlan.Membership FILES =
      new ContainerPlan.GroupFiles(List.of(Path.of("/sys/fs/cgroup/memory/g/cgroup.procs")));
  static final ContainerPlan.Membership UNIFIED =
      new ContainerPlan.UnifiedGroup(Path.of("/sys/fs/cgroup/g"));

  static ContainerSpec spec() {
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

  static Tape container() {
    return container(spec());
  }

  static Tape sharingContainer() {
    return ContainerTape.of(plan(spec(), OptionalInt.of(4700), FILES));
  }

  static List<Tape> preparedContainer() {
    var plan = plan(spec(), OptionalInt.empty(), FILES);
    return List.of(ContainerTape.prepared(plan), ContainerTape.goingOn(plan));
  }

  static Tape container(ContainerSpec spec) {
    return ContainerTape.of(plan(spec, OptionalInt.empty(), FILES));
  }

  static Tape groupedContainer() {
    return ContainerTape.of(plan(spec(), OptionalInt.empty(), UNIFIED));
  }

  static ContainerPlan plan(
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

  static Tape sandbox() {
    return sandbox(SandboxSpec.Processes.OWN);
  }

  static Tape sharedSandbox() {
    return sandbox(SandboxSpec.Processes.SHARED);
  }

  static Tape sandbox(SandboxSpec.Processes processes) {
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

  static Tape exec() {
    return exec(spec());
  }

  static Tape exec(ContainerSpec spec) {
    return exec(spec, new ContainerPlan.NoGroups());
  }

  static Tape exec(ContainerSpec spec, ContainerPlan.Membership membership) {
    var filter = SeccompFilters.of(spec.user());
    return ExecTape.of(spec, membership, filter, List.of("/bin/check", "-v"));
  }

  static int clone3(Tape tape) {
    int record = 0;
    while (!(tape.steps().get(record) instanceof Step.Call call) || call.call() != Syscall.CLONE3) {
      record++;
    }
    return record;
  }

  static boolean isExec(Step step) {
    return step instanceof Step.Call call && call.call() == Syscall.EXECVE;
  }

  static FakeKernel.Outcome run(
      Tape tape,
      Architecture architecture,
      Map<Integer, Integer> failing,
      Map<Integer, String> fds) {
    return run(List.of(tape), architecture, failing, fds);
  }

  static FakeKernel.Outcome run(
      List<Tape> tapes,
      Architecture architecture,
      Map<Integer, Integer> failing,
      Map<Integer, String> fds) {
    return new FakeKernel(tapes, architecture, failing).run(fds);
  }
}
