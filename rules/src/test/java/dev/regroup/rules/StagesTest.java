package dev.regroup.rules;

import static dev.regroup.rules.Stages.Moment.AT_BARRIER;
import static dev.regroup.rules.Stages.Moment.EXIT_SEEN;
import static dev.regroup.rules.Stages.Moment.LIFTED;
import static dev.regroup.rules.Stages.Moment.RUNNING;
import static dev.regroup.rules.Stages.Moment.STOPPED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.Stages.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StagesTest {

  private static Instant at(int millis) {
    return Instant.ofEpochMilli(1_000_000 + millis);
  }

  private static Span span(Moment until, int millis) {
    return new Span(until, Duration.ofMillis(millis));
  }

  @Test
  void each_span_begins_with_the_moment_before() {
    var stages = Stages.of(Map.of(RUNNING, at(90), EXIT_SEEN, at(0), STOPPED, at(20)));

    assertThat(stages.spans()).containsExactly(span(STOPPED, 20), span(RUNNING, 70));
    assertThat(stages.total()).isEqualTo(Duration.ofMillis(90));
  }

  @Test
  void a_clock_that_goes_back_makes_no_negative_span() {
    var stages = Stages.of(Map.of(EXIT_SEEN, at(50), STOPPED, at(20), RUNNING, at(60)));

    assertThat(stages.spans()).containsExactly(span(STOPPED, 0), span(RUNNING, 10));
  }

  @Test
  void a_group_is_as_far_as_its_last_pod_and_begins_with_the_first_exit() {
    var stages =
        Stages.ofGroup(
            List.of(
                Map.of(EXIT_SEEN, at(0), AT_BARRIER, at(30), LIFTED, at(81), RUNNING, at(90)),
                Map.of(EXIT_SEEN, at(10), AT_BARRIER, at(80), LIFTED, at(82), RUNNING, at(85))));

    assertThat(stages.spans())
        .containsExactly(span(AT_BARRIER, 80), span(LIFTED, 2), span(RUNNING, 8));
  }

  @Test
  void without_moments_there_is_nothing_to_show() {
    assertThat(Stages.of(Map.of()).spans()).isEmpty();
    assertThat(Stages.of(Map.of(EXIT_SEEN, at(1))).total()).isZero();
  }
}
