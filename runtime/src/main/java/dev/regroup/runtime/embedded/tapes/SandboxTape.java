package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.linux.Syscall.CHDIR;
import static dev.regroup.runtime.linux.Syscall.CLOCK_GETTIME;
import static dev.regroup.runtime.linux.Syscall.CLONE;
import static dev.regroup.runtime.linux.Syscall.CLOSE;
import static dev.regroup.runtime.linux.Syscall.CLOSE_RANGE;
import static dev.regroup.runtime.linux.Syscall.EXIT_GROUP;
import static dev.regroup.runtime.linux.Syscall.GETPID;
import static dev.regroup.runtime.linux.Syscall.IOCTL;
import static dev.regroup.runtime.linux.Syscall.MOUNT;
import static dev.regroup.runtime.linux.Syscall.OPENAT;
import static dev.regroup.runtime.linux.Syscall.PIVOT_ROOT;
import static dev.regroup.runtime.linux.Syscall.PPOLL;
import static dev.regroup.runtime.linux.Syscall.PRCTL;
import static dev.regroup.runtime.linux.Syscall.PWRITE64;
import static dev.regroup.runtime.linux.Syscall.RT_SIGACTION;
import static dev.regroup.runtime.linux.Syscall.SENDTO;
import static dev.regroup.runtime.linux.Syscall.SETGROUPS;
import static dev.regroup.runtime.linux.Syscall.SETHOSTNAME;
import static dev.regroup.runtime.linux.Syscall.SETRESGID;
import static dev.regroup.runtime.linux.Syscall.SETRESUID;
import static dev.regroup.runtime.linux.Syscall.SOCKET;
import static dev.regroup.runtime.linux.Syscall.UMOUNT2;
import static dev.regroup.runtime.linux.Syscall.UNSHARE;
import static dev.regroup.runtime.linux.Syscall.WAIT4;
import static dev.regroup.runtime.linux.Syscall.WRITE;
import static dev.regroup.runtime.tape.Arg.NULL;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Arg.octal;
import static dev.regroup.runtime.tape.Arg.text;
import static dev.regroup.runtime.tape.Constants.AF_INET;
import static dev.regroup.runtime.tape.Constants.AT_FDCWD;
import static dev.regroup.runtime.tape.Constants.CLOCK_REALTIME;
import static dev.regroup.runtime.tape.Constants.CLONE_NEWNS;
import static dev.regroup.runtime.tape.Constants.CLONE_NEWPID;
import static dev.regroup.runtime.tape.Constants.LAST_FD;
import static dev.regroup.runtime.tape.Constants.MNT_DETACH;
import static dev.regroup.runtime.tape.Constants.MSG_NOSIGNAL;
import static dev.regroup.runtime.tape.Constants.MS_NODEV;
import static dev.regroup.runtime.tape.Constants.MS_NOEXEC;
import static dev.regroup.runtime.tape.Constants.MS_NOSUID;
import static dev.regroup.runtime.tape.Constants.MS_RDONLY;
import static dev.regroup.runtime.tape.Constants.MS_REC;
import static dev.regroup.runtime.tape.Constants.MS_SLAVE;
import static dev.regroup.runtime.tape.Constants.O_CREAT;
import static dev.regroup.runtime.tape.Constants.O_WRONLY;
import static dev.regroup.runtime.tape.Constants.PR_SET_NO_NEW_PRIVS;
import static dev.regroup.runtime.tape.Constants.PR_SET_PDEATHSIG;
import static dev.regroup.runtime.tape.Constants.SIGCHLD;
import static dev.regroup.runtime.tape.Constants.SIGKILL;
import static dev.regroup.runtime.tape.Constants.SIOCSIFFLAGS;
import static dev.regroup.runtime.tape.Constants.SOCK_DGRAM;

import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.SandboxSpec.Processes;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.StateFile;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.process.TapeRunner;
import dev.regroup.runtime.tape.Arg;
import dev.regroup.runtime.tape.Tape;
import dev.regroup.runtime.tape.TapeWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A process that holds a pod's namespaces and memory volumes and otherwise sleeps. Killing it is
 * all the cleaning up there is: the kernel takes the rest down when the last container is gone too.
 *
 * <p>If the pod's containers share their processes, a child of it is PID 1 of the namespace they
 * live in. Neither outlives the other, and no process in the namespace outlives its PID 1.
 */
public final class SandboxTape {

  private static final int START_FD = 6;
  private static final int ERROR_FD = 7;
  private static final int SOCKET_FD = 8;
  private static final String FAIL = "fail";
  private static final String INIT = "init";
  private static final int SIGNAL_SET_BYTES = 8;
  private static final int NOBODY = 65534;

  private SandboxTape() {}

  public static Tape of(IsolationLevel level, SandboxSpec spec, Path directory) {
    var tape = new TapeWriter("sandbox");
    var zeros = tape.words("zeros", 4);
    var start = tape.words("start", 4); // holder, 0, seconds, nanoseconds: as for a container
    TapeParts.detach(tape, FAIL, START_FD);
    for (String name : List.of(Layout.START, Layout.ERROR)) { // 6, 7
      String file = directory.resolve(name).toString();
      tape.must(FAIL, OPENAT, AT_FDCWD, text(file), O_WRONLY.or(O_CREAT), octal(0600));
    }
    tape.must(FAIL, PWRITE64, n(START_FD), zeros, n(StateFile.START_BYTES), n(0));
    namespaces(tape, level, spec);
    settings(tape, spec);
    memory(tape, spec, directory);
    tape.attempt(CHDIR, text("/"));
    tape.into(TapeWriter.at(start, 0), GETPID);
    tape.attempt(CLOCK_GETTIME, CLOCK_REALTIME, TapeWriter.at(start, 2));
    tape.must(FAIL, PWRITE64, n(START_FD), start, n(StateFile.START_BYTES), n(0));
    if (spec.processes() == Processes.SHARED) {
      split(tape);
    }
    var size = n(StateFile.START_BYTES);
    tape.attempt(SENDTO, n(TapeRunner.CONTROL_FD), start, size, MSG_NOSIGNAL, NULL, n(0));
    tape.attempt(CLOSE_RANGE, n(0), n(TapeRunner.CONTROL_FD), n(0));
    tape.attempt(CLOSE_RANGE, n(START_FD), LAST_FD, n(0));
    switch (spec.processes()) {
      case OWN, HOST -> sleep(tape);
      case SHARED -> {
        awaitInit(tape);
        init(tape, directory);
      }
    }
    TapeParts.failing(tape, FAIL, ERROR_FD, TapeParts.SETUP_FAILED);
    return tape.tape();
  }

  private static void sleep(TapeWriter tape) {
    tape.label("sleep");
    tape.attempt(PPOLL, NULL, n(0), NULL, NULL, n(0));
    tape.go("sleep"); // only a signal that stops and continues gets here
  }

  /** Whoever ignores SIGCHLD need not collect: the kernel does it for orphans, too. */
  private static void split(TapeWriter tape) {
    tape.must(FAIL, RT_SIGACTION, SIGCHLD, ignore(), NULL, n(SIGNAL_SET_BYTES));
    var pid = tape.words("init", 1);
    tape.must(pid, FAIL, CLONE, SIGCHLD, n(0), n(0), n(0), n(0));
    tape.branch(pid, 0, null, INIT, null);
  }

  /** struct sigaction: handler SIG_IGN, no flags, no restorer, empty mask. */
  private static Arg ignore() {
    var action = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN).putLong(0, 1);
    return new Arg.Bytes(action.array(), "{SIG_IGN}");
  }

  /** Without PID 1 nothing can start in the namespace any more: the sandbox ends with it. */
  private static void awaitInit(TapeWriter tape) {
    var waited = tape.words("waited", 1);
    tape.label("wait");
    tape.into(waited, WAIT4, n(-1), NULL, n(0), NULL);
    tape.branch(waited, -Errno.EINTR, null, "wait", null);
    tape.attempt(EXIT_GROUP, n(0));
  }

  /**
   * The child's part. The containers see it, and who may trace processes may become it: so it has
   * an empty root, nobody's user and no rights at all. It lets go of the control socket after it
   * has tied itself to the holder: the setup is not over before, so nobody kills the holder too
   * early.
   */
  private static void init(TapeWriter tape, Path directory) {
    tape.label(INIT);
    tape.must(FAIL, UNSHARE, CLONE_NEWNS);
    String place = directory.resolve(Layout.SHM).toString(); // any directory will do
    new MountTape(tape, FAIL)
        .mount("nothing", place, "tmpfs", MS_RDONLY.or(MS_NOSUID).or(MS_NODEV), "mode=555,size=4k");
    tape.must(FAIL, CHDIR, text(place));
    tape.must(FAIL, PIVOT_ROOT, text("."), text("."));
    tape.must(FAIL, UMOUNT2, text("."), MNT_DETACH); // the old root lies on top
    tape.must(FAIL, CHDIR, text("/"));
    tape.must(FAIL, SETGROUPS, n(0), NULL);
    tape.must(FAIL, SETRESGID, n(NOBODY), n(NOBODY), n(NOBODY));
    tape.must(FAIL, SETRESUID, n(NOBODY), n(NOBODY), n(NOBODY)); // all capabilities go with it
    tape.must(FAIL, PRCTL, PR_SET_NO_NEW_PRIVS, n(1), n(0), n(0), n(0));
    tape.must(FAIL, PRCTL, PR_SET_PDEATHSIG, SIGKILL, n(0), n(0), n(0)); // lost by a new user
    tape.attempt(CLOSE_RANGE, n(0), LAST_FD, n(0));
    sleep(tape);
  }

  private static void namespaces(TapeWriter tape, IsolationLevel level, SandboxSpec spec) {
    var own = level.ofSandbox(spec.network(), spec.ipc());
    tape.must(FAIL, UNSHARE, spec.processes() == Processes.SHARED ? own.or(CLONE_NEWPID) : own);
    tape.must(FAIL, MOUNT, NULL, text("/"), NULL, MS_REC.or(MS_SLAVE), NULL);
    if (spec.network() == SandboxSpec.Network.HOST) {
      return;
    }
    int length = spec.hostname().getBytes(StandardCharsets.UTF_8).length;
    tape.must(FAIL, SETHOSTNAME, text(spec.hostname()), n(length));
    tape.must(FAIL, SOCKET, AF_INET, SOCK_DGRAM, n(0)); // 8
    tape.must(FAIL, IOCTL, n(SOCKET_FD), SIOCSIFFLAGS, loopbackUp());
  }

  /** The kernel's files lead to the settings of who opens them. */
  private static void settings(TapeWriter tape, SandboxSpec spec) {
    int fd =
        switch (spec.network()) {
          case POD -> SOCKET_FD + 1;
          case HOST -> SOCKET_FD;
        };
    spec.settings()
        .forEach((name, value) -> {
          tape.must(FAIL, OPENAT, AT_FDCWD, text("/proc/sys/" + name), O_WRONLY, n(0));
          int length = value.getBytes(StandardCharsets.UTF_8).length;
          tape.must(FAIL, WRITE, n(fd), text(value), n(length));
          tape.attempt(CLOSE, n(fd));
        });
  }

  /** struct ifreq: name in 16 bytes, then flags IFF_UP|IFF_RUNNING. */
  private static Arg loopbackUp() {
    var request = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
    request.put("lo".getBytes(StandardCharsets.US_ASCII)).putShort(16, (short) 0x41);
    return new Arg.Bytes(request.array(), "{lo, IFF_UP|IFF_RUNNING}");
  }

  private static void memory(TapeWriter tape, SandboxSpec spec, Path directory) {
    var flags = MS_NOSUID.or(MS_NODEV);
    tape.must(
        FAIL,
        MOUNT,
        text("shm"),
        text(directory.resolve(Layout.SHM).toString()),
        text("tmpfs"),
        flags.or(MS_NOEXEC),
        text("mode=1777,size=64m"));
    for (var volume : spec.volumes()) {
      String options = "mode=%o".formatted(volume.mode());
      if (volume.gid() != 0) {
        options += ",gid=" + volume.gid();
      }
      if (volume.sizeLimit() > 0) {
        options += ",size=" + volume.sizeLimit();
      }
      tape.must(
          FAIL,
          MOUNT,
          text("tmpfs"),
          text(directory.resolve(Layout.VOLUMES).resolve(volume.name()).toString()),
          text("tmpfs"),
          flags,
          text(options));
    }
  }
}
