package dev.regroup.runtime.process;

import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.tape.Kernel;
import dev.regroup.runtime.tape.Player;
import dev.regroup.runtime.tape.Tape;
import java.lang.foreign.Arena;
import java.util.List;

/**
 * Plays a tape inside this program, with the real kernel: what takes microseconds must not pay for
 * a process. Only calls that leave this program as it is are made; {@code exit_group} ends the
 * tape. Blocks its thread as long as the calls do: platform threads only.
 */
public final class OwnProcess implements Kernel {

  private int code;

  private OwnProcess() {}

  /**
   * How a tape ended.
   *
   * @param code what it gave to {@code exit_group}
   * @param failures the calls that must not fail and did
   */
  public record Ended(int code, List<Tape.Failure> failures) {}

  public static Ended play(Tape tape) {
    var kernel = new OwnProcess();
    try (var memory = Arena.ofConfined()) {
      var player = Player.in(memory, tape, Architecture.current());
      player.play(kernel);
      return new Ended(kernel.code, tape.failures(player.report()));
    }
  }

  @Override
  public long call(Player player, Syscall call, long[] arguments) {
    return switch (call) {
      case EXIT_GROUP -> {
        code = (int) arguments[0];
        player.end();
        yield 0;
      }
      case KILL, PIDFD_SEND_SIGNAL -> Linux.tryCall(call, arguments);
      default ->
          throw new IllegalArgumentException(
              call.title() + " would change this program: start the tape as a process");
    };
  }
}
