package dev.regroup.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.PodSpec.PodId;
import dev.regroup.rules.pod.plan.StartCause;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Restarts are counted, by cause too (OBS-06), and their stages timed (OBS-04, OBS-07). */
class RestartFiguresTest {

  private static final PodId POD = new PodId("default", "p", "u1");
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final List<String> figures = new ArrayList<>();
  private final RestartFigures restarts =
      new RestartFigures(
          (family, value, labels) ->
              figures.add(family.name() + " " + value + " " + List.of(labels)),
          RestartObserver.NONE);

  @Test
  void a_restart_by_the_group_is_timed_from_the_order_on() {
    reach(Moment.NOTICED, 0);
    assertThat(restarts.inProgress()).isEqualTo(1);
    reach(Moment.STOPPED, 10);
    reach(Moment.REMOVED, 30);
    reach(Moment.AT_BARRIER, 40);
    restarts.startedAgain(POD, StartCause.GROUP, START.plusMillis(140));
    reach(Moment.LIFTED, 140);
    reach(Moment.RUNNING, 150);

    assertThat(figures)
        .containsExactly(
            "inplace_pod_restart_duration_seconds 0.03 [termination]",
            "container_restarts_total 1.0 [group]",
            "inplace_pod_restart_duration_seconds 0.01 [backoff]",
            "inplace_pod_restart_duration_seconds 0.14 [exit_to_first_start]",
            "inplace_pod_restart_duration_seconds 0.1 [barrier]",
            "inplace_pod_restart_duration_seconds 0.15 [exit_to_all_started]",
            "inplace_pod_restarts_total 1.0 [completed]");
    assertThat(restarts.inProgress()).isZero();
  }

  @Test
  void a_program_that_works_again_is_timed_and_so_is_a_hang() {
    reach(Moment.LAST_SIGN, 0);
    reach(Moment.FOUND_HANGING, 7_000);
    reach(Moment.EXIT_SEEN, 8_000);
    reach(Moment.NOTICED, 8_001);
    reach(Moment.RUNNING, 8_500);
    figures.clear();
    reach(Moment.FIRST_OUTPUT, 10_500);
    reach(Moment.CAUGHT_UP, 12_000);

    assertThat(figures)
        .containsExactly(
            "inplace_pod_restart_duration_seconds 2.0 [start_to_first_output]",
            "inplace_pod_restart_duration_seconds 10.5 [exit_to_first_output]",
            "inplace_pod_restart_duration_seconds 12.0 [exit_to_same_step]");
  }

  @Test
  void a_restart_by_an_exit_is_timed_from_the_exit_on() {
    reach(Moment.EXIT_SEEN, 0);
    reach(Moment.NOTICED, 5);
    reach(Moment.REMOVED, 10);
    restarts.startedAgain(POD, StartCause.RESTART_ALL, START.plusMillis(15));
    restarts.startedAgain(POD, StartCause.RESTART_ALL, START.plusMillis(20));
    reach(Moment.RUNNING, 20);

    assertThat(figures)
        .containsOnlyOnce(
            "inplace_pod_restart_duration_seconds 0.005 [exit_to_condition]",
            "inplace_pod_restart_duration_seconds 0.005 [backoff]",
            "inplace_pod_restart_duration_seconds 0.015 [exit_to_first_start]",
            "inplace_pod_restart_duration_seconds 0.02 [exit_to_all_started]");
  }

  @Test
  void a_restart_that_never_ended_does_not_lengthen_the_next() {
    reach(Moment.NOTICED, 0);
    restarts.reached(POD, 2, Moment.NOTICED, START.plusMillis(500));
    restarts.reached(POD, 2, Moment.REMOVED, START.plusMillis(510));

    assertThat(figures).containsExactly("inplace_pod_restart_duration_seconds 0.01 [termination]");
    assertThat(restarts.inProgress()).isEqualTo(1);
  }

  @Test
  void a_restart_of_a_pod_that_goes_is_not_under_way_for_ever() {
    reach(Moment.NOTICED, 0);
    restarts.left(POD);

    assertThat(restarts.inProgress()).isZero();
    assertThat(figures).containsExactly("inplace_pod_restarts_total 1.0 [abandoned]");
  }

  @Test
  void a_container_that_starts_again_on_its_own_is_counted_by_its_cause() {
    restarts.startedAgain(POD, StartCause.PROBE, START);

    assertThat(figures).containsExactly("container_restarts_total 1.0 [probe]");
  }

  @Test
  void the_first_start_is_no_restart() {
    restarts.reached(POD, 0, Moment.RUNNING, START);

    assertThat(figures).isEmpty();
  }

  private void reach(Moment moment, long millis) {
    restarts.reached(POD, 1, moment, START.plusMillis(millis));
  }
}
