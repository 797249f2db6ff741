package dev.regroup.runtime.embedded.supervision;

import dev.regroup.runtime.Signal;
import dev.regroup.runtime.embedded.tapes.StopTape;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.runtime.process.OwnProcess;
import dev.regroup.runtime.tape.Tape;

/** Sends signals: plays {@link StopTape} in this program. Sending never waits. */
public final class SignalSender {

  private SignalSender() {}

  /** False if the process has ended. */
  public static boolean send(Fd process, Signal signal) throws SyscallFailure {
    return play(StopTape.process(process.number(), signal));
  }

  /** To all processes of a group; false if all have ended. */
  public static boolean sendToGroup(int leader, Signal signal) throws SyscallFailure {
    return play(StopTape.group(leader, signal));
  }

  private static boolean play(Tape tape) throws SyscallFailure {
    var ended = OwnProcess.play(tape);
    return switch (ended.code()) {
      case StopTape.SENT -> true;
      case StopTape.GONE -> false;
      default -> {
        var failure = ended.failures().getLast();
        throw new SyscallFailure(failure.call(), failure.errno());
      }
    };
  }
}
