package dev.regroup.rules.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ProgramRunTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void is_back_when_it_is_at_the_step_the_run_before_had_reached() {
    var first = ProgramRun.NEW.stepped(step(10, 1)).stepped(step(180, 20));

    var second = first.next().stepped(step(151, 30));
    assertThat(second.caughtUp()).isNull();
    second = second.stepped(step(179, 40)).stepped(step(180, 41)).stepped(step(181, 42));

    assertThat(second.caughtUp()).isEqualTo(at(41));
    assertThat(second.firstStep()).isEqualTo(step(151, 30));
    assertThat(second.lastStep()).isEqualTo(step(181, 42));
  }

  @Test
  void who_fell_before_it_was_back_leaves_the_same_goal_to_the_next() {
    var third = ProgramRun.NEW.stepped(step(180, 1)).next().stepped(step(155, 2)).next();

    assertThat(third.toReach()).isEqualTo(180);
    assertThat(third.stepped(step(180, 9)).caughtUp()).isEqualTo(at(9));
  }

  @Test
  void the_same_step_told_again_is_no_sign_of_life() {
    var run = ProgramRun.NEW.wrote(at(0), at(9)).stepped(step(5, 3)).stepped(step(5, 8));

    assertThat(run.lastSign()).isEqualTo(at(3));
    assertThat(ProgramRun.NEW.wrote(at(0), at(9)).lastSign()).isEqualTo(at(9));
    assertThat(ProgramRun.NEW.lastSign()).isNull();
  }

  /** Who writes its steps into its file alone has written something all the same. */
  @Test
  void the_first_step_is_the_first_word_of_who_wrote_nothing_else() {
    var run = ProgramRun.NEW.stepped(step(5, 3)).stepped(step(6, 8));

    assertThat(run.firstOutput()).isEqualTo(at(3));
    assertThat(run.lastOutput()).isEqualTo(at(8));
    assertThat(ProgramRun.NEW.wrote(at(1), at(9)).stepped(step(5, 3)).firstOutput())
        .isEqualTo(at(1));
  }

  @Test
  void two_programs_of_a_pod_are_one() {
    var a = ProgramRun.NEW.wrote(at(2), at(5));
    var b = ProgramRun.NEW.wrote(at(1), at(4)).stepped(step(7, 4));

    assertThat(a.and(b)).isEqualTo(new ProgramRun(-1, at(1), at(5), step(7, 4), step(7, 4), null));
  }

  @Test
  void the_time_left_follows_from_the_pace() {
    assertThat(
            Pace.left(
                new ProgressStep(100, 400, at(0)), new ProgressStep(200, 400, at(50)), at(60)))
        .contains(Duration.ofSeconds(90));
    assertThat(Pace.left(step(100, 0), step(200, 50), at(60))).as("no total").isEmpty();
    assertThat(Pace.left(null, null, at(60))).isEmpty();
    assertThat(
            Pace.left(new ProgressStep(1, 40, at(0)), new ProgressStep(10, 40, at(9)), at(3_600)))
        .as("it stands still")
        .isEmpty();
  }

  private static ProgressStep step(long number, int second) {
    return new ProgressStep(number, 0, at(second));
  }

  private static Instant at(int second) {
    return START.plusSeconds(second);
  }
}
