package dev.regroup.control.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.ObjectKey;
import dev.regroup.rules.group.GroupStatus;
import dev.regroup.rules.group.InPlaceRestart;
import dev.regroup.rules.group.Sign;
import dev.regroup.rules.jobset.JobSetStatus;
import dev.regroup.rules.jobset.JobSetStatus.Condition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a written status made true is counted once: ends (JS-97a), group restarts (JS-97b). */
class JobSetFiguresTest {

  private static final ObjectKey JOB_SET = new ObjectKey("ns", "train");
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final List<String> counted = new ArrayList<>();
  private final JobSetFigures figures =
      new JobSetFigures((family, value, labels) ->
          counted.add(family.name() + " " + value + " " + List.of(labels)));

  @Test
  void an_end_is_counted_when_it_is_written_and_never_again() {
    var failed = new JobSetStatus(List.of(), 0, 0, "Failed", List.of(), GroupStatus.UNSET);

    figures.written(JOB_SET, JobSetStatus.EMPTY, failed);
    figures.written(JOB_SET, failed, failed);

    assertThat(counted).containsExactly("jobset_failed_total 1.0 [train, ns]");
  }

  @Test
  void a_group_restart_is_counted_by_its_cause_and_timed_stage_by_stage() {
    var ordered = restarting(true, null, START.plusMillis(10));
    var lifted = restarting(true, START.plusMillis(50), START.plusMillis(10));
    var ready = restarting(false, START.plusMillis(50), START.plusMillis(80));

    figures.written(JOB_SET, JobSetStatus.EMPTY, ordered);
    figures.written(JOB_SET, ordered, lifted);
    figures.written(JOB_SET, lifted, ready);
    figures.written(JOB_SET, ready, ready);

    assertThat(counted)
        .containsExactly(
            "jobset_in_place_restarts_total 1.0 [ContainerExited]",
            "jobset_in_place_restart_duration_seconds 0.01 [failure_to_order]",
            "jobset_in_place_restart_duration_seconds 0.04 [order_to_lift]",
            "jobset_in_place_restart_duration_seconds 0.03 [lift_to_ready]");
  }

  private static JobSetStatus restarting(boolean on, @Nullable Instant lifted, Instant changed) {
    var sign = new Sign(Sign.Kind.WORKER_EXITED, "p", "c", OptionalInt.of(1), START);
    var restart = new InPlaceRestart(1, START.plusMillis(10), lifted, sign, true);
    var unset = GroupStatus.UNSET;
    return new JobSetStatus(
        List.of(new Condition("RestartingJobSet", on, "InPlaceRestart", "", changed)),
        0,
        0,
        "",
        List.of(),
        new GroupStatus(
            unset.barrier(),
            unset.counted(),
            unset.uncounted(),
            List.of(restart),
            unset.lastRequest()));
  }
}
