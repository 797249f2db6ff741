package dev.regroup.rules.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Stages;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.progress.RestartCost.Measure;
import dev.regroup.rules.progress.RestartCost.Share;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RestartCostTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private static final Share CULPRIT =
      new Share(
          "a",
          Map.of(
              Moment.EXIT_SEEN, at(0),
              Moment.NOTICED, at(10),
              Moment.STOPPED, at(20),
              Moment.REMOVED, at(30),
              Moment.AT_BARRIER, at(100),
              Moment.LIFTED, at(2_300),
              Moment.RUNNING, at(2_310),
              Moment.FIRST_OUTPUT, at(5_000),
              Moment.CAUGHT_UP, at(6_000)),
          new ProgramBreak(at(-5), 180, 151));

  private static final Share FOLLOWER =
      new Share(
          "b",
          Map.of(
              Moment.NOTICED, at(40),
              Moment.STOPPED, at(2_040),
              Moment.REMOVED, at(2_050),
              Moment.AT_BARRIER, at(2_250),
              Moment.LIFTED, at(2_300),
              Moment.RUNNING, at(2_330)),
          new ProgramBreak(at(30), -1, -1));

  @Test
  void lasts_from_the_exit_to_the_first_output_and_then_repeats_itself() {
    var cost = RestartCost.of(List.of(CULPRIT, FOLLOWER), at(20), at(2_290));

    assertThat(cost.began()).isEqualTo(at(0));
    assertThat(cost.down()).isEqualTo(Duration.ofSeconds(5));
    assertThat(cost.back()).isEqualTo(at(6_000));
    assertThat(cost.redone()).isEqualTo(30);
    assertThat(cost.measure()).isEqualTo(Measure.STEPS);
    assertThat(cost.stages().spans())
        .extracting(Stages.Span::until)
        .containsExactly(
            Moment.NOTICED,
            Moment.STOPPED,
            Moment.REMOVED,
            Moment.AT_BARRIER,
            Moment.LIFTED,
            Moment.RUNNING,
            Moment.FIRST_OUTPUT,
            Moment.CAUGHT_UP);
    assertThat(cost.stages().total()).isEqualTo(Duration.ofSeconds(6));
  }

  @Test
  void is_over_when_somebody_is_back_who_had_come_that_far() {
    var silent = caughtUp("silent", 5_000, new ProgramBreak(at(-5), 0, 150)); // told "from step 0"
    var early = caughtUp("early", 5_500, new ProgramBreak(at(-5), 170, 150));
    var late = caughtUp("late", 6_500, new ProgramBreak(at(-5), 180, 151));

    assertThat(RestartCost.of(List.of(silent, early, CULPRIT, late), at(20), null).back())
        .isEqualTo(at(6_000));
    assertThat(RestartCost.of(List.of(silent), at(20), null).back()).isNull();
  }

  /** A large group: some are back at their step before the last has started. */
  @Test
  void who_is_back_before_all_run_has_done_nothing_again_by_then() {
    var slow =
        new Share("slow", Map.of(Moment.RUNNING, at(9_000)), new ProgramBreak(at(-5), -1, -1));

    var cost = RestartCost.of(List.of(CULPRIT, slow), at(20), at(2_290));

    assertThat(cost.works()).isEqualTo(at(9_000));
    assertThat(cost.back()).isEqualTo(at(9_000));
    assertThat(cost.kept().back()).isEqualTo(at(9_000));
    assertThat(cost.until(at(9_500)).back()).isEqualTo(at(9_500));
  }

  private static Share caughtUp(String pod, int millis, ProgramBreak program) {
    var moments = new java.util.EnumMap<Moment, Instant>(FOLLOWER.moments());
    moments.put(Moment.CAUGHT_UP, at(millis));
    return new Share(pod, moments, program);
  }

  @Test
  void names_for_whom_the_group_waited() {
    var cost = RestartCost.of(List.of(CULPRIT, FOLLOWER), at(20), at(2_290));

    assertThat(cost.waits()).containsExactly(new RestartCost.Wait("b", Duration.ofSeconds(2)));
  }

  @Test
  void a_hang_began_with_the_last_sign_of_life() {
    var hung =
        new Share(
            "a",
            Map.of(
                Moment.LAST_SIGN, at(-37_000),
                Moment.FOUND_HANGING, at(-30_000),
                Moment.EXIT_SEEN, at(0),
                Moment.NOTICED, at(10),
                Moment.RUNNING, at(300)),
            ProgramBreak.UNSEEN);

    var cost = RestartCost.of(List.of(hung, FOLLOWER), at(5), at(290));

    assertThat(cost.began()).isEqualTo(at(-37_000));
    assertThat(cost.down()).isEqualTo(Duration.ofMillis(37_000 + 2_330));
    assertThat(cost.stages().spans().getFirst())
        .isEqualTo(new Stages.Span(Moment.FOUND_HANGING, Duration.ofSeconds(7)));
    assertThat(cost.measure()).isEqualTo(Measure.RUNNING);
    assertThat(cost.redone()).isEqualTo(-1);
  }

  @Test
  void without_an_exit_it_begins_with_the_order() {
    var cost = RestartCost.of(List.of(FOLLOWER), at(35), at(2_290));

    assertThat(cost.began()).isEqualTo(at(35));
    assertThat(cost.down()).isEqualTo(Duration.ofMillis(2_330 - 35));
  }

  @Test
  void without_an_exit_a_program_works_until_its_pod_is_told_to_stop() {
    var spoke = RestartCost.of(List.of(FOLLOWER), at(-200), at(2_290));
    var farewell = new Share("c", FOLLOWER.moments(), new ProgramBreak(at(1_900), -1, -1));
    var silent = new Share("d", FOLLOWER.moments(), new ProgramBreak(at(-900), -1, -1));

    assertThat(spoke.began()).isEqualTo(at(30));
    assertThat(RestartCost.of(List.of(farewell), at(-200), at(2_290)).began()).isEqualTo(at(40));
    assertThat(RestartCost.of(List.of(silent), at(-200), at(2_290)).began()).isEqualTo(at(-200));
  }

  /** JS-169, RAC-55: nobody is asked, and a kill may take its time on a busy machine. */
  @Test
  void a_program_that_is_killed_at_once_works_until_then_and_nobody_waits_for_it() {
    var killed = new Share("c", FOLLOWER.moments(), new ProgramBreak(at(1_900), -1, -1, false));

    var cost = RestartCost.of(List.of(killed), at(-200), at(2_290));

    assertThat(cost.began()).isEqualTo(at(1_900));
    assertThat(cost.stages().total()).isEqualTo(cost.down());
    assertThat(cost.waits()).isEmpty();
  }

  @Test
  void a_group_of_new_pods_is_down_until_its_barrier_lifts() {
    var cost = RestartCost.of(List.of(), at(0), at(700));

    assertThat(cost.down()).isEqualTo(Duration.ofMillis(700));
    assertThat(cost.stages().spans())
        .containsExactly(new Stages.Span(Moment.LIFTED, Duration.ofMillis(700)));
  }

  @Test
  void goodput_leaves_out_the_start_the_standstill_and_what_was_done_twice() {
    var cost = RestartCost.of(List.of(CULPRIT, FOLLOWER), at(20), at(2_290));

    var goodput = Goodput.of(at(-60_000), at(40_000), at(-58_000), Measure.STEPS, List.of(cost));

    assertThat(goodput)
        .isEqualTo(
            new Goodput(
                Duration.ofSeconds(100),
                Duration.ofSeconds(2),
                Duration.ofSeconds(5),
                Duration.ofSeconds(1),
                Measure.STEPS));
    assertThat(goodput.ratio()).isEqualTo(0.92);
  }

  @Test
  void who_never_came_back_to_its_step_has_only_repeated_itself() {
    var moments = new java.util.EnumMap<Moment, Instant>(CULPRIT.moments());
    moments.remove(Moment.CAUGHT_UP);
    var lost = RestartCost.of(List.of(new Share("a", moments, CULPRIT.program())), null, null);

    var goodput = Goodput.of(at(-10_000), at(15_000), at(-9_000), Measure.STEPS, List.of(lost));

    assertThat(goodput.redoing()).isEqualTo(Duration.ofSeconds(10));
    assertThat(goodput.useful()).isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  void time_that_two_restarts_share_counts_once() {
    var one = RestartCost.of(List.of(), at(0), at(4_000));
    var two = RestartCost.of(List.of(), at(1_000), at(3_000));

    var goodput = Goodput.of(at(0), at(10_000), at(0), Measure.OUTPUT, List.of(two, one));

    assertThat(goodput.down()).isEqualTo(Duration.ofSeconds(4));
    assertThat(goodput.measure()).isEqualTo(Measure.RUNNING);
  }

  @Test
  void what_never_worked_was_of_no_use() {
    var goodput = Goodput.of(at(0), at(1_000), null, Measure.RUNNING, List.of());

    assertThat(goodput.ratio()).isZero();
    assertThat(goodput.starting()).isEqualTo(Duration.ofSeconds(1));
  }

  private static Instant at(int millis) {
    return START.plusMillis(millis);
  }
}
