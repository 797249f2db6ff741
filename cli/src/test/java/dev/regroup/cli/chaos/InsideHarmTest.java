package dev.regroup.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What exit codes of a command inside a container tell; ChaosIT runs them. */
class InsideHarmTest {

  @ParameterizedTest
  @CsvSource({"KILL,137", "TERMINATE,0", "TERMINATE,137", "STOP,0", "FILL,137"})
  void a_worker_that_was_reached_is_done(Harm harm, int code) throws Exception {
    assertThat(InsideHarm.outcome(deed(harm), code)).isEqualTo("done from inside the container");
  }

  @ParameterizedTest
  @CsvSource({
    "KILL,90,nobody inside its container can hurt",
    "KILL,91,PID 1 lives on",
    "TERMINATE,90,does not catch SIGTERM",
    "STOP,90,its only process is PID 1",
    "FILL,92,the worker lives on",
    "FILL,127,'the container lacks head, tail or sleep'",
    "STOP,2,ended with code 2"
  })
  void one_that_was_not_is_told_with_what_to_do(Harm harm, int code, String why) {
    assertThatThrownBy(() -> InsideHarm.outcome(deed(harm), code))
        .hasMessageContaining(why)
        .hasMessageContaining("(")
        .hasMessageContaining("use delete");
  }

  @Test
  void filling_ends_at_twice_the_limit() {
    assertThat(InsideHarm.script(deed(Harm.FILL), 64 << 20)).contains("head -c 134217728 ");
  }

  private static Deed deed(Harm harm) {
    return new Deed(harm, List.of(0), "", new Deed.When.After(Duration.ZERO), Duration.ZERO);
  }
}
