package dev.regroup.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.PodSpec.PodId;
import dev.regroup.rules.pod.RestartCycle.Cause;
import dev.regroup.rules.pod.RestartCycle.Source;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Restarts of pods are counted by their cause, and their stages timed (OBS-04, OBS-07). */
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
    restarts.began(POD, 1, new Cause.GroupOrder(0, 1));
    reach(Moment.NOTICED, 0);
    assertThat(restarts.inProgress()).isEqualTo(1);
    reach(Moment.STOPPED, 10);
    reach(Moment.REMOVED, 30);
    reach(Moment.AT_BARRIER, 40);
    reach(Moment.LIFTED, 140);
    reach(Moment.RUNNING, 150);

    assertThat(figures)
        .containsExactly(
            "inplace_pod_restarts_begun_total 1.0 [group]",
            "inplace_pod_restart_duration_seconds 0.03 [termination]",
            "inplace_pod_restart_duration_seconds 0.1 [barrier]",
            "inplace_pod_restart_duration_seconds 0.15 [exit_to_all_started]",
            "inplace_pod_restarts_total 1.0 [completed]");
    assertThat(restarts.inProgress()).isZero();
  }

  @Test
  void a_restart_by_an_exit_is_timed_from_the_exit_on() {
    restarts.began(POD, 1, new Cause.Exited(List.of(new Source("a", 42, START, 0))));
    reach(Moment.EXIT_SEEN, 0);
    reach(Moment.NOTICED, 5);
    reach(Moment.REMOVED, 10);
    reach(Moment.RUNNING, 20);

    assertThat(figures)
        .contains(
            "inplace_pod_restarts_begun_total 1.0 [restart_all]",
            "inplace_pod_restart_duration_seconds 0.005 [exit_to_condition]",
            "inplace_pod_restart_duration_seconds 0.02 [exit_to_all_started]");
  }

  @Test
  void a_restart_that_never_ended_does_not_lengthen_the_next() {
    restarts.began(POD, 1, new Cause.GroupOrder(0, 1));
    reach(Moment.NOTICED, 0);
    restarts.began(POD, 2, new Cause.Requested("r", "why"));
    reach(Moment.NOTICED, 500);
    reach(Moment.REMOVED, 510);

    assertThat(figures)
        .contains("inplace_pod_restart_duration_seconds 0.01 [termination]")
        .contains("inplace_pod_restarts_begun_total 1.0 [request]");
    assertThat(restarts.inProgress()).isEqualTo(1);
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
