package dev.regroup.runtime.embedded.harm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ContainerHarmTest {

  /** A shell's short commands come and go while its container is looked at. */
  @Test
  void a_process_that_has_ended_meanwhile_is_passed_over() throws Exception {
    var ended = new ProcessBuilder("true").start();
    ended.waitFor();

    assertThatCode(() -> ContainerHarm.letGoFirst(ended.pid())).doesNotThrowAnyException();
  }

  @Test
  void a_process_that_lives_is_the_first_to_go() throws Exception {
    var living = new ProcessBuilder("sleep", "100").start();
    try {
      ContainerHarm.letGoFirst(living.pid());

      assertThat(Files.readString(Path.of("/proc/" + living.pid() + "/oom_score_adj")).strip())
          .isEqualTo("1000");
    } finally {
      living.destroyForcibly().waitFor();
    }
  }
}
