package dev.regroup.runtime.tape;

import static dev.regroup.runtime.linux.Syscall.EXIT_GROUP;
import static dev.regroup.runtime.linux.Syscall.GETPID;
import static dev.regroup.runtime.linux.Syscall.OPENAT;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Arg.text;
import static dev.regroup.runtime.tape.Constants.AT_FDCWD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Syscall;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PlayerTest {

  /** Notes the calls; the third byte of a path is what opening it returns. */
  private static final class Notes implements Kernel {
    private final List<String> made = new ArrayList<>();

    @Override
    public long call(Player player, Syscall call, long[] arguments) {
      made.add(call.title());
      return switch (call) {
        case OPENAT -> player.text(arguments[1]).charAt(2) - '0';
        case EXIT_GROUP -> {
          player.end();
          yield 0;
        }
        default -> 0;
      };
    }
  }

  private static Tape openThen(String path) {
    var tape = new TapeWriter("open");
    var fd = tape.words("fd", 1);
    tape.into(fd, OPENAT, AT_FDCWD, text(path), n(0), n(0));
    tape.branch(fd, 5, null, "five", null);
    tape.attempt(EXIT_GROUP, n(0));
    tape.label("five");
    tape.attempt(GETPID);
    tape.attempt(EXIT_GROUP, n(5));
    return tape.tape();
  }

  @ParameterizedTest
  @EnumSource
  void follows_branches_by_what_the_kernel_answers(Architecture architecture) {
    var four = new Notes();
    var five = new Notes();

    Player.pretending(openThen("/f4"), architecture).play(four);
    Player.pretending(openThen("/f5"), architecture).play(five);

    assertThat(four.made).containsExactly("openat", "exit_group");
    assertThat(five.made).containsExactly("openat", "getpid", "exit_group");
  }

  @Test
  void in_real_memory_addresses_are_real() {
    var kernel = new Notes();

    try (var arena = Arena.ofConfined()) {
      Player.in(arena, openThen("/f5"), Architecture.ARM64).play(kernel);
    }

    assertThat(kernel.made).containsExactly("openat", "getpid", "exit_group");
  }

  @Test
  void a_tape_that_never_ends_is_a_mistake() {
    var circle = new TapeWriter("circle").label("again").attempt(GETPID).go("again").tape();
    var open = new TapeWriter("open").attempt(GETPID).tape();

    assertThatThrownBy(() -> Player.pretending(circle, Architecture.X86_64).play(new Notes()))
        .hasMessage("circle: the tape does not end");
    assertThatThrownBy(() -> Player.pretending(open, Architecture.X86_64).play(new Notes()))
        .hasMessage("open: the tape runs over its end");
  }
}
