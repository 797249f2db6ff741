package dev.regroup.cli.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.cli.run.RunScreen.Source;
import dev.regroup.rules.pod.ContainerId;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import org.junit.jupiter.api.Test;

class HeardTest {

  private static final Instant BEGAN = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant JOINED = at(100);

  private final Heard heard = new Heard(BEGAN);

  /** Its steps came in an instant, and took a second each. */
  @Test
  void who_joins_late_sees_when_lines_were_written_and_the_pace_of_the_steps() {
    for (int step = 1; step <= 60; step++) {
      output("a", 40 + step, "step " + step + " of 100");
    }
    for (int step = 1; step <= 59; step++) {
      output("b", 40 + step, "step " + step + " of 100");
    }

    assertThat(heard.step()).isNotNull().extracting(step -> step.number()).isEqualTo(60L);
    assertThat(heard.left(JOINED)).contains(Duration.ofSeconds(40));
    assertThat(heard.left(JOINED.plusSeconds(1))).contains(Duration.ofSeconds(39));
    assertThat(heard.lines(""))
        .hasSize(119)
        .isSortedAccordingTo(Comparator.comparing(ViewModel.Line::since));
    assertThat(heard.lines(""))
        .last()
        .satisfies(line -> {
          assertThat(line.who()).isEqualTo("a");
          assertThat(line.since()).hasSeconds(100);
        });
    assertThat(heard.lines("b")).first().satisfies(line -> assertThat(line.since()).hasSeconds(41));
  }

  @Test
  void what_a_worker_told_before_another_went_back_is_no_step_of_the_group() {
    output("a", 50, "step 30 of 100");
    output("b", 50, "step 40 of 100");
    output("a", 60, "step 20 of 100");
    assertThat(heard.step()).isNotNull().extracting(step -> step.number()).isEqualTo(20L);

    output("b", 61, "step 21 of 100");

    assertThat(heard.step()).isNotNull().extracting(step -> step.number()).isEqualTo(21L);
  }

  private void output(String pod, int second, String line) {
    heard.output(new Source(pod, pod, ContainerId.NONE), at(second), JOINED, line);
  }

  private static Instant at(int second) {
    return BEGAN.plusSeconds(second);
  }
}
