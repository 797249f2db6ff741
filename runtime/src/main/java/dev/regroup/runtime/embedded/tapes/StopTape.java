package dev.regroup.runtime.embedded.tapes;

import static dev.regroup.runtime.linux.Syscall.EXIT_GROUP;
import static dev.regroup.runtime.linux.Syscall.KILL;
import static dev.regroup.runtime.linux.Syscall.PIDFD_SEND_SIGNAL;
import static dev.regroup.runtime.tape.Arg.NULL;
import static dev.regroup.runtime.tape.Arg.flag;
import static dev.regroup.runtime.tape.Arg.n;

import dev.regroup.runtime.Signal;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.tape.Arg;
import dev.regroup.runtime.tape.Tape;
import dev.regroup.runtime.tape.TapeWriter;

/**
 * A signal for a process that may have ended meanwhile, which is as good. The exit code tells what
 * became of it; whoever plays the tape waits for the process, the tape does not.
 */
public final class StopTape {

  public static final int SENT = 0;

  /** Nobody was there any more. */
  public static final int GONE = 1;

  /** The report says why. */
  static final int FAILED = TapeParts.SETUP_FAILED;

  private StopTape() {}

  /** For one process; the descriptor stays with it even if its number is used again. */
  public static Tape process(int pidfd, Signal signal) {
    return of(PIDFD_SEND_SIGNAL, n(pidfd), named(signal), NULL, n(0));
  }

  /** For the process group a command leads. */
  public static Tape group(int leader, Signal signal) {
    return of(KILL, n(-leader), named(signal));
  }

  private static Tape of(Syscall call, Arg... args) {
    var tape = new TapeWriter("stop");
    var result = tape.blame(call, args);
    tape.branch(result, 0, "refused", null, null);
    tape.attempt(EXIT_GROUP, n(SENT));
    tape.label("refused");
    tape.branch(result, -Errno.ESRCH, null, "gone", null);
    tape.attempt(EXIT_GROUP, n(FAILED));
    tape.label("gone");
    tape.attempt(EXIT_GROUP, n(GONE));
    return tape.tape();
  }

  private static Arg named(Signal signal) {
    return flag(signal.name(), signal.number());
  }
}
