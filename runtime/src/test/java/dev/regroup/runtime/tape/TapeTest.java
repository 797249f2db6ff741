package dev.regroup.runtime.tape;

import static dev.regroup.runtime.linux.Syscall.EXIT_GROUP;
import static dev.regroup.runtime.linux.Syscall.GETPID;
import static dev.regroup.runtime.linux.Syscall.MKDIRAT;
import static dev.regroup.runtime.linux.Syscall.WRITE;
import static dev.regroup.runtime.tape.Arg.n;
import static dev.regroup.runtime.tape.Arg.octal;
import static dev.regroup.runtime.tape.Arg.text;
import static dev.regroup.runtime.tape.Constants.AT_FDCWD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.runtime.linux.Architecture;
import dev.regroup.runtime.linux.Errno;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TapeTest {

  private static Tape small() {
    var tape = new TapeWriter("small");
    tape.must("fail", MKDIRAT, AT_FDCWD, text("a \"b\""), octal(0755));
    tape.into(tape.words("pid", 1), GETPID);
    tape.attempt(EXIT_GROUP, n(0));
    tape.label("fail");
    tape.attempt(WRITE, n(1), TapeWriter.report(), new Arg.ReportSize());
    tape.attempt(EXIT_GROUP, n(7));
    return tape.tape();
  }

  @Test
  void prints_like_strace() {
    assertThat(small().print())
        .isEqualTo(
            """
               0  mkdirat(AT_FDCWD, "a \\"b\\"", 0755)
               1    if mkdirat < 0 go fail
               2  getpid()
               3  exit_group(0)
            fail:
               4  write(1, &report, sizeof report)
               5  exit_group(7)
            """);
  }

  @Test
  void a_report_names_the_call_that_failed() {
    var tape = small();

    var outcome =
        new FakeKernel(tape, Architecture.X86_64, Map.of(0, Errno.EROFS)).run(Map.of(1, "out"));

    assertThat(tape.failures(outcome.written("out").getFirst()))
        .singleElement()
        .extracting(Tape.Failure::message)
        .isEqualTo("mkdirat(AT_FDCWD, \"a \\\"b\\\"\", 0755): read-only file system");
  }

  @Test
  void a_report_that_was_cut_off_blames_nobody() {
    assertThat(small().failures(new byte[3])).isEmpty();
  }

  @Test
  void values_of_an_environment_are_not_printed() {
    var tape = new TapeWriter("secret");
    var env = new Arg.Texts(java.util.List.of("TOKEN=secret"), Arg.Texts.Shown.COUNT);
    tape.attempt(dev.regroup.runtime.linux.Syscall.EXECVE, text("/bin/true"), Arg.NULL, env);

    assertThat(tape.tape().print()).doesNotContain("secret").contains("[1 values]");
  }

  @Test
  void a_label_must_be_placed_once() {
    var missing = new TapeWriter("missing").go("nowhere");
    var twice = new TapeWriter("twice").label("here");

    assertThatThrownBy(missing::tape).hasMessageContaining("nowhere is not placed");
    assertThatThrownBy(() -> twice.label("here")).hasMessageContaining("placed twice");
  }
}
