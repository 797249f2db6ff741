package dev.regroup.rules.jobset;

import static dev.regroup.rules.jobset.JobSetFixture.failing;
import static dev.regroup.rules.jobset.JobSetFixture.job;
import static dev.regroup.rules.jobset.JobSetFixture.spec;
import static dev.regroup.rules.jobset.JobSetFixture.suspended;
import static dev.regroup.rules.jobset.JobSetFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.jobset.JobSetSpec.FailureAction;
import dev.regroup.rules.jobset.JobSetSpec.Strategy;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class InPlacePlanTest {

  @Test
  void one_group_restart_is_two_signals_as42_as82_js97b_js157() {
    var set = running(3, job("w", 2));
    int before = set.orders;
    set.exits("a-w-0", 1, 0);
    set.settle();
    assertThat(set.current()).isZero();
    assertThat(set.previous()).isZero();
    assertThat(set.reason(JobSetStatus.Type.RESTARTING)).isEqualTo("InPlaceRestart");
    assertThat(set.status.condition(JobSetStatus.Type.RESTARTING).orElseThrow().message())
        .isEqualTo(
            "in-place restart to attempt 1 (Pod a-w-0-1-x, container worker, exit code 1):"
                + " 0 of 4 at the barrier");

    set.ready("a-w-0", "a-w-1"); // counts of the attempt that ends
    assertThat(set.settle().status.is(JobSetStatus.Type.RESTARTING)).isTrue();
    set.reportAll(1, "a-w-0", "a-w-1");
    set.settle();

    assertThat(set.current()).isEqualTo(1);
    assertThat(set.orders - before).isEqualTo(2);
    assertThat(set.status.restarts()).isZero();
    assertThat(set.reason(JobSetStatus.Type.RESTARTING)).isEqualTo("JobsReady");
    assertThat(set.effects).noneMatch(JobSetPlan.Effect.DeleteJob.class::isInstance);
    assertThat(set.notes)
        .extracting(JobSetPlan.Note::reason)
        .contains("InPlaceRestartStarted", "InPlaceRestartCompleted")
        .doesNotContain("InPlaceRestart");
  }

  @Test
  void counts_only_writes_are_lazy_while_a_group_restarts_js157() {
    var set = running(3, job("w", 2));
    set.exits("a-w-0", 1, 0);
    set.settle();
    set.ready("a-w-0");

    assertThat(set.step().write()).isEqualTo(JobSetPlan.Write.LAZY);
  }

  @Test
  void the_budget_ends_the_jobset_as44() {
    var set = running(0, job("w", 1));
    set.exits("a-w-0", 0, 0);
    set.settle();

    assertThat(set.reason(JobSetStatus.Type.FAILED)).isEqualTo("ReachedMaxRestarts");
    assertThat(set.status.condition(JobSetStatus.Type.FAILED).orElseThrow().message())
        .isEqualTo("jobset failed due to reaching max number of restarts");
    assertThat(set.jobs).isEmpty();
    assertThat(set.status.group().barrier().previous()).isEmpty();
  }

  @Test
  void a_failed_job_recreates_all_and_counts_once_as57_js148() {
    var set = running(3, job("w", 2));
    set.exits("a-w-0", 1, 0); // its pod failed first and was counted in place
    set.settle();
    assertThat(set.status.group().counted()).isEqualTo(OptionalInt.of(1));
    set.fail("a-w-0");
    set.settle();

    assertThat(set.status.restarts()).isEqualTo(1);
    assertThat(set.status.restartsCountTowardsMax()).isEqualTo(1);
    assertThat(set.status.group().counted()).isEqualTo(OptionalInt.of(0));
    set.podsGone();
    set.reportAll(1, "a-w-0", "a-w-1");
    set.settle();
    assertThat(set.current()).isEqualTo(1);
    assertThat(set.status.group().counted()).isEqualTo(OptionalInt.of(0));
  }

  @Test
  void restarting_one_job_restarts_the_others_in_place_as59_js148() {
    var rule =
        new JobSetSpec.FailureRule("r", FailureAction.RESTART_JOB, List.of(), List.of(), List.of());
    var set = running(3, rule, job("w", 2));
    var other = set.jobs.get("a-w-1");
    set.fail("a-w-0");
    set.settle();

    assertThat(set.previous()).isZero();
    assertThat(set.jobs.get("a-w-1")).isEqualTo(other);
    assertThat(set.status.group().counted()).isEqualTo(OptionalInt.of(0));
  }

  @Test
  void a_succeeded_pod_turns_a_restart_into_a_recreation_as64_js134() {
    var set = running(3, job("w", 1));
    set.succeeds("a-w-0", 0, 0);
    set.exits("a-w-0", 1, 0);
    set.settle();

    assertThat(set.status.restarts()).isEqualTo(1);
    assertThat(set.status.restartsCountTowardsMax()).isEqualTo(1);
    assertThat(set.effects).anyMatch(JobSetPlan.Effect.DeleteJob.class::isInstance);
  }

  @Test
  void a_resume_is_signalled_before_the_jobs_run_as60_js146() {
    var set = running(0, job("w", 1));
    set.spec = suspended(set.spec, true);
    set.settle();
    set.podsGone();
    set.settle();
    assertThat(set.status.finished()).isFalse();

    set.spec = suspended(set.spec, false);
    var first = set.step();
    assertThat(first.effects()).isEmpty();
    assertThat(set.previous()).isZero();
    assertThat(set.status.group().uncounted()).isEqualTo(1);
    set.settle();
    assertThat(set.jobs.values()).noneMatch(ChildJob::suspended);
    set.reportAll(1, "a-w-0");
    set.settle();
    assertThat(set.current()).isEqualTo(1);
    assertThat(set.status.finished()).isFalse();
  }

  @Test
  void a_new_size_restarts_the_group_for_nothing_as61_js147() {
    var set = running(0, job("w", 1));
    set.spec = resized(set.spec, 3);
    var first = set.step();
    assertThat(first.effects()).isEmpty(); // the order goes first
    set.settle();
    assertThat(set.jobs.get("a-w-0").parallelism()).isEqualTo(3);
    set.reportAll(1, "a-w-0");
    set.settle();
    assertThat(set.current()).isEqualTo(1);

    set.spec = resized(set.spec, 1);
    set.settle();
    assertThat(set.previous()).isEqualTo(1);
    set.report("a-w-0", 0, 2);
    set.settle();
    assertThat(set.current()).isEqualTo(2);
    assertThat(set.status.group().uncounted()).isEqualTo(2);
    assertThat(set.status.group().counted()).isEqualTo(OptionalInt.of(0));
  }

  @Test
  void ready_dependencies_share_one_barrier_as78_js133() {
    var ready = new JobSetSpec.Dependency("x", JobSetSpec.Until.READY);
    var set =
        new JobSetFixture(
                failing(spec(job("x", 1), job("y", 1, ready)), 3, Strategy.IN_PLACE_RESTART))
            .settle();
    assertThat(set.jobs.keySet()).containsExactly("a-x-0");
    set.reportAll(0, "a-x-0");
    set.settle();
    assertThat(set.jobs.keySet()).containsExactly("a-x-0", "a-y-0");
    assertThat(set.status.group().barrier().current()).isEmpty();
    set.reportAll(0, "a-y-0");
    set.settle();
    assertThat(set.current()).isZero();
  }

  @Test
  void a_later_group_starts_for_nothing_and_leaves_the_first_alone_as79_js133() {
    var complete = new JobSetSpec.Dependency("x", JobSetSpec.Until.COMPLETE);
    var set =
        new JobSetFixture(
                failing(spec(job("x", 1), job("y", 1, complete)), 0, Strategy.IN_PLACE_RESTART))
            .settle();
    set.reportAll(0, "a-x-0");
    set.settle();
    assertThat(set.current()).isZero();
    set.succeeds("a-x-0", 0, 0);
    set.succeeds("a-x-0", 1, 0);
    set.complete("a-x-0");
    set.settle();
    assertThat(set.jobs.keySet()).containsExactly("a-x-0", "a-y-0");
    assertThat(set.status.group().uncounted()).isEqualTo(1);
    set.reportAll(1, "a-y-0");
    set.settle();

    assertThat(set.current()).isEqualTo(1);
    assertThat(set.status.group().counted()).isEqualTo(OptionalInt.of(0));
    assertThat(set.status.finished()).isFalse();
  }

  @Test
  void a_job_marked_none_is_not_waited_for_as80_js133() {
    var helper =
        new JobSetSpec.ReplicatedJob(
            "h", "default", 1, 2, OptionalInt.of(2), true, List.of(), false);
    var set =
        new JobSetFixture(failing(spec(job("w", 1), helper), 3, Strategy.IN_PLACE_RESTART))
            .settle();
    set.reportAll(0, "a-w-0");
    set.settle();

    assertThat(set.current()).isZero();
  }

  @Test
  void other_strategies_and_a_closed_gate_signal_nothing_as65_js112() {
    var set = new JobSetFixture(failing(spec(job("w", 1)), 3, Strategy.RECREATE)).settle();
    set.reportAll(0, "a-w-0");
    set.settle();
    assertThat(set.status.group().barrier().current()).isEmpty();

    var closed = new JobSetFixture(failing(spec(job("w", 1)), 3, Strategy.IN_PLACE_RESTART));
    closed.gates = new JobSetGates(false, true, true);
    closed.settle();
    closed.reportAll(0, "a-w-0");
    closed.settle();
    assertThat(closed.status.group().barrier().current()).isEmpty();
  }

  private static JobSetSpec resized(JobSetSpec spec, int size) {
    var jobs =
        List.of(
            new JobSetSpec.ReplicatedJob(
                "w", "default", 1, size, OptionalInt.of(size), true, List.of(), true));
    return with(spec, jobs, spec.successPolicy(), spec.startOrder(), spec.suspend());
  }

  /** A JobSet whose group runs in attempt 0. */
  private static JobSetFixture running(int maxRestarts, JobSetSpec.ReplicatedJob... jobs) {
    return JobSetFixture.lifted(failing(spec(jobs), maxRestarts, Strategy.IN_PLACE_RESTART));
  }

  private static JobSetFixture running(
      int maxRestarts, JobSetSpec.FailureRule rule, JobSetSpec.ReplicatedJob... jobs) {
    return JobSetFixture.lifted(failing(spec(jobs), maxRestarts, Strategy.IN_PLACE_RESTART, rule));
  }
}
