package dev.regroup.rules.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StepLinesTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "step 120                                          | 120     ",
        "step 210 of 400, loss 0.2191                      | 210/400 ",
        "[2] attempt 1: training from step 150             | 150     ",
        "Step: 7/10                                        | 7/10    ",
        "global_step=1200 lr=3e-4                          | 1200    ",
        "{'loss': 0.5, 'step': 12}                         |         ",
        "Epoch 1 batch 3 / 8                               | 3/8     ",
        "2026/11/17 12:00 starts                           |         ",
        "listens on 10.0.0.1/24                            |         ",
        "reads /data/3/7/x                                 |         ",
        "9/4 of the cake                                   |         ",
        "footstep 12                                       |         ",
        "step 0.5 s                                        |         ",
        "no number at all                                  |         "
      })
  void lines_tell_steps(String line, String step) {
    String text = line.strip();
    String wanted = step == null ? "" : step.strip();

    assertThat(StepLines.usual().read(text, NOW).map(ProgressStep::words).orElse(""))
        .isEqualTo(wanted);
  }

  @Test
  void a_bar_is_read_as_a_fraction() {
    var step = StepLines.usual().read(" 45%|####      | 45/100 [00:10<00:12, 4.5it/s]", NOW);

    assertThat(step).contains(new ProgressStep(45, 100, NOW));
  }

  @Test
  void colours_are_no_letters() {
    assertThat(StepLines.usual().read("\u001b[31mstep 5\u001b[0m of", NOW))
        .contains(new ProgressStep(5, 0, NOW));
  }

  @Test
  void a_fraction_means_nothing_once_a_line_said_step() {
    var lines = StepLines.usual();
    lines.read("step 12", NOW);

    assertThat(lines.read("loaded shard 3/8", NOW)).isEmpty();
    assertThat(lines.read("step 13", NOW)).contains(new ProgressStep(13, 0, NOW));
  }

  @Test
  void an_own_pattern_is_the_only_one() {
    var lines =
        StepLines.with(line ->
            line.startsWith("tick ")
                ? Optional.of(new StepLines.Found(line.substring(5), "9"))
                : Optional.empty());

    assertThat(lines.read("tick 4", NOW)).contains(new ProgressStep(4, 9, NOW));
    assertThat(lines.read("step 4", NOW)).isEmpty();
    assertThat(lines.read("tick x", NOW)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "-1", "1/", "1/2/3", "99999999999999999999", "12 steps"})
  void a_file_with_anything_else_tells_nothing(String text) {
    assertThat(ProgressStep.parse(text, NOW)).isEmpty();
  }

  @Test
  void a_file_tells_a_step_and_perhaps_a_total() {
    assertThat(ProgressStep.parse("120\n", NOW)).contains(new ProgressStep(120, 0, NOW));
    assertThat(ProgressStep.parse(" 120 / 400 \nmore", NOW))
        .contains(new ProgressStep(120, 400, NOW));
  }
}
