package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.linux.Syscall.CHDIR;
import static dev.regroup.runtime.linux.Syscall.CLOSE_RANGE;
import static dev.regroup.runtime.linux.Syscall.DUP;
import static dev.regroup.runtime.linux.Syscall.EXECVE;
import static dev.regroup.runtime.linux.Syscall.EXIT_GROUP;
import static dev.regroup.runtime.linux.Syscall.KEYCTL;
import static dev.regroup.runtime.linux.Syscall.MKDIRAT;
import static dev.regroup.runtime.linux.Syscall.OPENAT;
import static dev.regroup.runtime.linux.Syscall.PRCTL;
import static dev.regroup.runtime.linux.Syscall.PRLIMIT64;
import static dev.regroup.runtime.linux.Syscall.READ;
import static dev.regroup.runtime.linux.Syscall.SECCOMP;
import static dev.regroup.runtime.linux.Syscall.SENDTO;
import static dev.regroup.runtime.linux.Syscall.SETGROUPS;
import static dev.regroup.runtime.linux.Syscall.SETRESGID;
import static dev.regroup.runtime.linux.Syscall.SETRESUID;
import static dev.regroup.runtime.linux.Syscall.SETSID;
import static dev.regroup.runtime.linux.Syscall.UMASK;
import static dev.regroup.runtime.linux.Syscall.WRITE;
import static dev.regroup.runtime.tape.Arg.NULL;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Arg.octal;
import static dev.regroup.runtime.tape.Arg.text;
import static dev.regroup.runtime.tape.Constants.AT_FDCWD;
import static dev.regroup.runtime.tape.Constants.CLOSE_RANGE_CLOEXEC;
import static dev.regroup.runtime.tape.Constants.KEYCTL_JOIN_SESSION_KEYRING;
import static dev.regroup.runtime.tape.Constants.LAST_FD;
import static dev.regroup.runtime.tape.Constants.MSG_NOSIGNAL;
import static dev.regroup.runtime.tape.Constants.O_RDWR;
import static dev.regroup.runtime.tape.Constants.PR_CAPBSET_DROP;
import static dev.regroup.runtime.tape.Constants.PR_SET_NO_NEW_PRIVS;
import static dev.regroup.runtime.tape.Constants.PR_SET_PDEATHSIG;
import static dev.regroup.runtime.tape.Constants.RLIMIT_NOFILE;
import static dev.regroup.runtime.tape.Constants.SECCOMP_SET_MODE_FILTER;
import static dev.regroup.runtime.tape.Constants.SIGKILL;

import dev.regroup.runtime.Capabilities;
import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.process.TapeRunner;
import dev.regroup.runtime.seccomp.Filter;
import dev.regroup.runtime.tape.Arg;
import dev.regroup.runtime.tape.TapeWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Passages that several tapes share. */
final class TapeParts {

  static final String DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  /** Exit code of a tape that failed before there was a child, and of a child that failed. */
  static final int SETUP_FAILED = 125;

  static final int CHILD_FAILED = 126;

  /** Instead of an error file. */
  static final int NO_FILE = -1;

  private static final int MOST_PATH_ENTRIES = 64;

  /**
   * struct rlimit: how many files a container may open, soft and hard. What is usual in clusters,
   * whatever terminal this program was started from.
   */
  private static final Arg OPEN_FILES =
      new Arg.Bytes(
          ByteBuffer.allocate(2 * Long.BYTES)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putLong(1 << 20)
              .putLong(1 << 20)
              .array(),
          "{1048576, 1048576}");

  private TapeParts() {}

  /** Standard input, output and error become /dev/null; nothing else but the known ones stays. */
  static void detach(TapeWriter tape, String orElse, int firstUnknownFd) {
    tape.attempt(CLOSE_RANGE, n(0), n(2), n(0));
    tape.attempt(CLOSE_RANGE, n(firstUnknownFd), LAST_FD, n(0));
    tape.must(orElse, OPENAT, AT_FDCWD, text("/dev/null"), O_RDWR, n(0)); // 0
    tape.must(orElse, DUP, n(0)); // 1
    tape.must(orElse, DUP, n(0)); // 2
    tape.must(orElse, SETSID);
  }

  /** Where a failing tape goes on: leave the report in the error file, tell it, end. */
  static void failing(TapeWriter tape, String label, int errorFd, int exitCode) {
    tape.label(label);
    var size = new Arg.ReportSize();
    if (errorFd != NO_FILE) {
      tape.attempt(WRITE, n(errorFd), TapeWriter.report(), size);
    }
    tape.attempt(
        SENDTO, n(TapeRunner.CONTROL_FD), TapeWriter.report(), size, MSG_NOSIGNAL, NULL, n(0));
    tape.attempt(EXIT_GROUP, n(exitCode));
  }

  /**
   * Becomes the container's user and then the command; goes on at the label if that fails.
   *
   * <p>A filter may be installed by who has CAP_SYS_ADMIN, as root has until it executes a file, or
   * can gain no rights any more. So it is the last thing, because what follows must pass it; but a
   * user who may gain rights installs it before becoming that user.
   *
   * @param lifeFd the end of a pipe that shows whether the parent lives, or {@link #NO_FILE}
   */
  static void become(
      TapeWriter tape,
      String orElse,
      ContainerConfig spec,
      List<String> argv,
      Optional<Filter> filter,
      int lifeFd) {
    // Where it is refused, the limits of this program hold.
    tape.attempt(PRLIMIT64, n(0), RLIMIT_NOFILE, OPEN_FILES, NULL);
    // Keys of whoever started this program are not for containers, nor those of one for another.
    tape.attempt(KEYCTL, KEYCTL_JOIN_SESSION_KEYRING, NULL);
    var user = spec.user();
    boolean last = user.uid() == 0 || user.escalation() == ContainerConfig.Escalation.DENIED;
    becomeUser(tape, orElse, user, last ? Optional.empty() : filter, lifeFd);
    tape.attempt(UMASK, octal(022));
    tape.must(orElse, CHDIR, text(spec.workingDir()));
    tape.must(orElse, CLOSE_RANGE, n(3), LAST_FD, CLOSE_RANGE_CLOEXEC);
    if (last) {
      filter.ifPresent(installed -> install(tape, orElse, installed));
    }
    execute(tape, orElse, argv, spec.env());
  }

  /** Last of all that needs rights; PDEATHSIG comes behind it because it is lost by it. */
  private static void becomeUser(
      TapeWriter tape,
      String orElse,
      ContainerConfig.User user,
      Optional<Filter> filter,
      int lifeFd) {
    if (user.privilege() == ContainerConfig.Privilege.ORDINARY) {
      for (int capability = 0; capability < Capabilities.COUNT; capability++) {
        if (!user.capabilities().contains(capability)) {
          // Refused for capabilities this kernel does not know, which is as good.
          tape.attempt(PRCTL, PR_CAPBSET_DROP, n(capability), n(0), n(0), n(0));
        }
      }
    }
    filter.ifPresent(installed -> install(tape, orElse, installed));
    tape.must(orElse, SETGROUPS, n(user.groups().size()), groups(user.groups()));
    tape.must(orElse, SETRESGID, n(user.gid()), n(user.gid()), n(user.gid()));
    tape.must(orElse, SETRESUID, n(user.uid()), n(user.uid()), n(user.uid()));
    if (user.escalation() == ContainerConfig.Escalation.DENIED) {
      tape.must(orElse, PRCTL, PR_SET_NO_NEW_PRIVS, n(1), n(0), n(0), n(0));
    }
    tape.must(orElse, PRCTL, PR_SET_PDEATHSIG, SIGKILL, n(0), n(0), n(0));
    if (lifeFd != NO_FILE) {
      endIfAlone(tape, lifeFd);
    }
  }

  /** From here on the process ends when its parent does, also if that has ended already. */
  static void endWithParent(TapeWriter tape, int lifeFd) {
    tape.attempt(PRCTL, PR_SET_PDEATHSIG, SIGKILL, n(0), n(0), n(0));
    endIfAlone(tape, lifeFd);
  }

  /** The pipe has nothing to read while the parent lives, and its end afterwards. */
  private static void endIfAlone(TapeWriter tape, int lifeFd) {
    var read = tape.words("read", 1);
    var goesOn = "goes-on-" + read.index();
    tape.into(read, READ, n(lifeFd), tape.words("nothing", 1), n(1));
    tape.branch(read, 0, goesOn, null, goesOn);
    tape.attempt(EXIT_GROUP, n(CHILD_FAILED));
    tape.label(goesOn);
  }

  private static void install(TapeWriter tape, String orElse, Filter filter) {
    var program = new Arg.Filter(filter.program(), filter.name());
    tape.must(orElse, SECCOMP, SECCOMP_SET_MODE_FILTER, n(0), program);
  }

  private static Arg groups(List<Integer> groups) {
    if (groups.isEmpty()) {
      return NULL;
    }
    var bytes = ByteBuffer.allocate(4 * groups.size()).order(ByteOrder.LITTLE_ENDIAN);
    groups.forEach(bytes::putInt);
    return new Arg.Bytes(bytes.array(), groups.toString());
  }

  /** Executes the command, looked for along PATH; goes on at the label if none could be. */
  private static void execute(
      TapeWriter tape, String orElse, List<String> argv, Map<String, String> env) {
    var arguments = new Arg.Texts(argv, Arg.Texts.Shown.VALUES);
    var environment =
        new Arg.Texts(
            env.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList(),
            Arg.Texts.Shown.COUNT);
    var candidates = candidates(argv.getFirst(), env.getOrDefault("PATH", DEFAULT_PATH));
    int left = candidates.size();
    for (String candidate : candidates) {
      var result = tape.blame(EXECVE, text(candidate), arguments, environment);
      if (--left > 0) {
        String next = "try-" + left;
        tape.branch(result, -Errno.ENOENT, null, next, null);
        tape.branch(result, -Errno.ENOTDIR, null, next, null);
        tape.branch(result, -Errno.EACCES, orElse, next, orElse);
        tape.label(next);
      } else {
        tape.go(orElse);
      }
    }
  }

  private static Set<String> candidates(String command, String path) {
    if (command.contains("/")) {
      return Set.of(command);
    }
    var candidates = new LinkedHashSet<String>();
    for (String directory : path.split(":", -1)) {
      if (candidates.size() == MOST_PATH_ENTRIES) {
        break;
      }
      candidates.add((directory.isEmpty() ? "." : directory) + "/" + command);
    }
    return candidates;
  }

  /** Makes the directories down to this absolute path; what exists is left alone. */
  static void makeDirectories(TapeWriter tape, String path) {
    for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
      tape.attempt(MKDIRAT, AT_FDCWD, text(path.substring(0, slash)), octal(0755));
    }
    if (path.length() > 1) {
      tape.attempt(MKDIRAT, AT_FDCWD, text(path), octal(0755));
    }
  }
}
