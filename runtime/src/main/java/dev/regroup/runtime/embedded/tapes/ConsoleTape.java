package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.linux.Syscall.CLOSE;
import static dev.regroup.runtime.linux.Syscall.CLOSE_RANGE;
import static dev.regroup.runtime.linux.Syscall.DUP3;
import static dev.regroup.runtime.linux.Syscall.FCHOWNAT;
import static dev.regroup.runtime.linux.Syscall.IOCTL;
import static dev.regroup.runtime.linux.Syscall.MKDIRAT;
import static dev.regroup.runtime.linux.Syscall.MKNODAT;
import static dev.regroup.runtime.linux.Syscall.OPENAT;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Arg.octal;
import static dev.regroup.runtime.tape.Arg.text;
import static dev.regroup.runtime.tape.Constants.AT_EMPTY_PATH;
import static dev.regroup.runtime.tape.Constants.AT_FDCWD;
import static dev.regroup.runtime.tape.Constants.LAST_FD;
import static dev.regroup.runtime.tape.Constants.O_NOCTTY;
import static dev.regroup.runtime.tape.Constants.O_NONBLOCK;
import static dev.regroup.runtime.tape.Constants.O_RDONLY;
import static dev.regroup.runtime.tape.Constants.O_RDWR;
import static dev.regroup.runtime.tape.Constants.S_IFIFO;
import static dev.regroup.runtime.tape.Constants.TIOCGPTPEER;
import static dev.regroup.runtime.tape.Constants.TIOCSCTTY;
import static dev.regroup.runtime.tape.Constants.TIOCSPTLCK;

import dev.regroup.runtime.Console;
import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.tape.TapeWriter;
import java.util.LinkedHashMap;

/**
 * The passages of a container's tape that give its command something to read: nothing, a pipe with
 * a name that whoever attaches writes to, or a terminal. What must stay open is held by the
 * supervisor, like the output: it outlives this program, and the next one finds it.
 *
 * <p>A pipe is at its end when nobody holds the other side; so the supervisor does, until somebody
 * writes to a second one that the input is over.
 */
final class ConsoleTape {

  /**
   * The supervisor's end of the terminal, or its hold on the pipe. High, so that the numbers of all
   * others stay as they are.
   */
  static final int HELD_FD = Layout.CONSOLE_FD;

  /** Where the terminal's output goes in on its way to the log, or where the end is said. */
  static final int SECOND_FD = HELD_FD + 1;

  private final ContainerPlan plan;
  private final TapeWriter tape;
  private final String fail;

  ConsoleTape(ContainerPlan plan, TapeWriter tape, String fail) {
    this.plan = plan;
    this.tape = tape;
    this.fail = fail;
  }

  /** Opens 0, which must be the lowest free descriptor. */
  void openInput() {
    switch (plan.spec().console()) {
      case NONE, TERMINAL -> tape.must(fail, OPENAT, AT_FDCWD, text("/dev/null"), O_RDONLY, n(0));
      case INPUT -> {
        var pipes = text(plan.run().resolve(Layout.CONSOLE).toString());
        tape.must(fail, MKDIRAT, AT_FDCWD, pipes, octal(0700));
        hold(Layout.STDIN, HELD_FD);
        hold(Layout.STDIN_END, SECOND_FD);
        var pipe = text(plan.run().resolve(Layout.STDIN).toString());
        tape.must(fail, OPENAT, AT_FDCWD, pipe, O_RDONLY, n(0));
        own(tape, plan.spec().user());
      }
    }
  }

  private void hold(String name, int fd) {
    var pipe = text(plan.run().resolve(name).toString());
    tape.must(fail, MKNODAT, AT_FDCWD, pipe, S_IFIFO.or(octal(0600)), n(0));
    tape.must(fail, OPENAT, AT_FDCWD, pipe, O_RDWR.or(O_NONBLOCK), n(0)); // 0
    tape.must(fail, DUP3, n(0), n(fd), n(0));
    tape.attempt(CLOSE, n(0));
  }

  /**
   * Makes the terminal, one that the container sees in its own /dev/pts, and puts the program's end
   * in the place of 0, 1 and 2.
   *
   * @param free the lowest free descriptor
   */
  void openTerminal(int free) {
    if (plan.spec().console() != Console.TERMINAL) {
      return;
    }
    tape.must(fail, DUP3, n(1), n(SECOND_FD), n(0)); // the way to the log
    var ends = O_RDWR.or(O_NOCTTY);
    tape.must(fail, OPENAT, AT_FDCWD, text("/dev/pts/ptmx"), ends.or(O_NONBLOCK), n(0));
    tape.must(fail, IOCTL, n(free), TIOCSPTLCK, tape.words("unlocked", 1));
    tape.must(fail, DUP3, n(free), n(HELD_FD), n(0));
    tape.attempt(CLOSE, n(free));
    tape.must(fail, IOCTL, n(HELD_FD), TIOCGPTPEER, ends);
    for (int standard = 0; standard <= 2; standard++) {
      tape.must(fail, DUP3, n(free), n(standard), n(0));
    }
    tape.attempt(CLOSE, n(free));
  }

  /** Of the supervisor: closes everything from this number on but what is held. */
  void closeOthers(int from) {
    if (plan.spec().console() == Console.NONE) {
      tape.attempt(CLOSE_RANGE, n(from), LAST_FD, n(0));
      return;
    }
    tape.attempt(CLOSE_RANGE, n(from), n(HELD_FD - 1L), n(0));
    tape.attempt(CLOSE_RANGE, n(SECOND_FD + 1L), LAST_FD, n(0));
  }

  /** Of the child, behind its new session: the terminal is its own, and its user's. */
  static void control(TapeWriter tape, String fail, ContainerConfig.User user) {
    own(tape, user);
    tape.must(fail, IOCTL, n(0), TIOCSCTTY, n(0));
  }

  private static void own(TapeWriter tape, ContainerConfig.User user) {
    if (user.uid() != 0) { // so that it may open it again; the group stays
      tape.attempt(FCHOWNAT, n(0), text(""), n(user.uid()), n(-1), AT_EMPTY_PATH);
    }
  }

  /** Programs at a terminal look for its kind. */
  static ContainerConfig withTerm(ContainerConfig spec) {
    var env = new LinkedHashMap<>(spec.env());
    env.putIfAbsent("TERM", "xterm");
    return spec.withEnv(env);
  }
}
