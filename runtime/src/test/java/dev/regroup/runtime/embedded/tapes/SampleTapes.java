package dev.regroup.runtime.embedded.tapes;

import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerConfig.Mount.Access;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ExecRequest;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.Seccomp;
import dev.regroup.runtime.embedded.files.StateFile;
import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.tape.FakeKernel;
import dev.regroup.runtime.tape.Step;
import dev.regroup.runtime.tape.Tape;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One tape of each kind, and how they are played against a fake kernel. */
final class SampleTapes {

  private SampleTapes() {}

  private static final PodUid POD = new PodUid("3f8a");
  static final Map<Integer, String> CONTAINER_FDS =
      Map.ofEntries(
          Map.entry(0, "in"),
          Map.entry(1, "out"),
          Map.entry(2, "err"),
          Map.entry(3, "tape"),
          Map.entry(4, "control"),
          Map.entry(5, "lock"),
          Map.entry(6, "sandbox"),
          Map.entry(7, "overlay of /usr"),
          Map.entry(8, "emptied /root"),
          Map.entry(9, "target"),
          Map.entry(40, "x"));
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
      new ContainerPlan.Membership(
          Optional.empty(), List.of(Path.of("/sys/fs/cgroup/memory/g/cgroup.procs")));
  static final ContainerPlan.Membership UNIFIED =
      new ContainerPlan.Membership(
          Optional.of(
              new ContainerPlan.Birth(Path.of("/sys/fs/cgroup/g"), ContainerPlan.Company.ALONE)),
          List.of());
  static final ContainerPlan.Membership BOTH =
      new ContainerPlan.Membership(
          Optional.of(
              new ContainerPlan.Birth(Path.of("/sys/fs/cgroup/g"), ContainerPlan.Company.SHARED)),
          FILES.procs());
  private static final ContainerPlan.Processes OWN = new ContainerPlan.OwnProcesses();

  static ContainerConfig spec() {
    return ContainerConfig.of(new ContainerKey(POD, "trainer", 2), 3, List.of("python", "train.py"))
        .withEnv(Map.of("PATH", "/opt/bin:/usr/bin", "TOKEN", "secret"))
        .withUser(
            new ContainerConfig.User(
                1000,
                1000,
                List.of(5, 6),
                dev.regroup.runtime.Capabilities.DEFAULT,
                ContainerConfig.Privilege.ORDINARY,
                ContainerConfig.Escalation.DENIED,
                Seccomp.RUNTIME_DEFAULT))
        .withRoot(ContainerConfig.RootFilesystem.READ_ONLY)
        .withWorkingDir("/work");
  }

  static Tape container() {
    return container(spec());
  }

  static Tape sharingContainer() {
    return ContainerTape.of(plan(spec(), new ContainerPlan.SharedProcesses(4700), FILES));
  }

  static List<Tape> preparedContainer() {
    var plan = plan(spec(), OWN, FILES);
    var processes = new StateFile.Start(4711, 4712, Instant.EPOCH);
    return List.of(ContainerTape.prepared(plan), ContainerTape.goingOn(plan, processes));
  }

  static Tape container(ContainerConfig spec) {
    return ContainerTape.of(plan(spec, OWN, FILES));
  }

  static Tape groupedContainer() {
    return ContainerTape.of(plan(spec(), OWN, UNIFIED));
  }

  static ContainerPlan plan(
      ContainerConfig spec,
      ContainerPlan.Processes processes,
      ContainerPlan.Membership membership) {
    var run = Path.of("/data/pods/3f8a/containers/trainer/2");
    return new ContainerPlan(
        IsolationLevel.FULL,
        spec,
        run,
        Path.of("/data/pods/3f8a/logs/trainer/2.log"),
        Path.of("/data/root"),
        Path.of("/data/pods/3f8a/sandbox/shm"),
        SandboxSpec.Network.POD,
        SandboxSpec.Ipc.POD,
        processes,
        List.of(
            new RootEntry.Link(Path.of("/bin"), "usr/bin"),
            new RootEntry.Empty(Path.of("/srv")),
            new RootEntry.ReadOnly(Path.of("/opt")),
            new RootEntry.Overlay(Path.of("/usr")),
            new RootEntry.Emptied(Path.of("/root"))),
        List.of(Hidden.directory(Path.of("/opt/data")), Hidden.file(Path.of("/opt/key"))),
        List.of(
            Hidden.directory(Path.of("/proc/acpi")),
            Hidden.file(Path.of("/proc/keys")),
            Hidden.directory(Path.of("/sys/devices/virtual/powercap"))),
        devices(spec),
        List.of(
            new ContainerPlan.Bind(
                Path.of("/data/hosts"),
                "",
                0,
                ContainerPlan.Kind.FILE,
                "/etc/hosts",
                ContainerPlan.Target.LINK,
                Access.READ_ONLY),
            new ContainerPlan.Bind(
                Path.of("/data/pods/3f8a/sandbox/volumes/fast"),
                "sub/path",
                0777,
                ContainerPlan.Kind.DIRECTORY,
                "/mnt/fast",
                ContainerPlan.Target.COVERABLE,
                Access.READ_WRITE)),
        membership,
        SeccompFilters.of(spec.user()));
  }

  private static List<Device> devices(ContainerConfig spec) {
    var disk = new Device("disk/sda", Device.Type.BLOCK, 0x800, 0660, 0, 6);
    return switch (spec.user().privilege()) {
      case ORDINARY -> Device.DEFAULT;
      case PRIVILEGED -> List.of(Device.DEFAULT.getFirst(), disk);
    };
  }

  static Tape privilegedContainer() {
    var user =
        new ContainerConfig.User(
            0,
            0,
            List.of(),
            dev.regroup.runtime.Capabilities.ALL,
            ContainerConfig.Privilege.PRIVILEGED,
            ContainerConfig.Escalation.ALLOWED,
            Seccomp.UNCONFINED);
    var spec = spec().withUser(user).withRoot(ContainerConfig.RootFilesystem.WRITABLE);
    return ContainerTape.of(
        plan(spec, new ContainerPlan.HostProcesses(), ContainerPlan.Membership.NONE));
  }

  /** One that sees the processes of another; its descriptor comes behind the mounts. */
  static Tape debuggingContainer() {
    return ContainerTape.of(plan(spec(), new ContainerPlan.TargetProcesses(), BOTH));
  }

  static Tape sandbox() {
    return sandbox(SandboxSpec.Processes.OWN);
  }

  static Tape sharedSandbox() {
    return sandbox(SandboxSpec.Processes.SHARED);
  }

  static Tape sandbox(SandboxSpec.Processes processes) {
    return SandboxTape.of(
        IsolationLevel.FULL,
        new SandboxSpec(
            POD,
            "default",
            "trainer-0",
            "trainer-0",
            SandboxSpec.Network.POD,
            List.of(new SandboxSpec.MemoryVolume("fast", 1 << 20, 0777)),
            processes,
            SandboxSpec.Ipc.POD,
            Map.of("net/ipv4/tcp_syncookies", "1")),
        Path.of("/data/pods/3f8a/sandbox"));
  }

  static Tape exec() {
    return exec(spec());
  }

  static Tape exec(ContainerConfig spec) {
    return exec(spec, ContainerPlan.Membership.NONE);
  }

  static Tape exec(ContainerConfig spec, ContainerPlan.Membership membership) {
    var filter = SeccompFilters.of(spec.user());
    var request = ExecRequest.of(List.of("/bin/check", "-v"));
    return ExecTape.of(IsolationLevel.FULL, spec, membership, filter, request);
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
