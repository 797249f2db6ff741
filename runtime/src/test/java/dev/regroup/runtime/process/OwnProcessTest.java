package dev.regroup.runtime.process;

import static dev.regroup.runtime.linux.Syscall.EXECVE;
import static dev.regroup.runtime.tape.Arg.NULL;
import static dev.regroup.runtime.tape.Arg.text;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.runtime.tape.TapeWriter;
import org.junit.jupiter.api.Test;

class OwnProcessTest {

  @Test
  void refuses_calls_that_would_change_this_program() {
    var tape = new TapeWriter("other").attempt(EXECVE, text("/bin/true"), NULL, NULL).tape();

    assertThatThrownBy(() -> OwnProcess.play(tape))
        .hasMessage("execve would change this program: start the tape as a process");
  }
}
