package dev.regroup.rules.jobset;

import static dev.regroup.rules.jobset.JobSetFixture.NOW;
import static dev.regroup.rules.jobset.JobSetFixture.failing;
import static dev.regroup.rules.jobset.JobSetFixture.job;
import static dev.regroup.rules.jobset.JobSetFixture.spec;
import static dev.regroup.rules.jobset.JobSetFixture.suspended;
import static dev.regroup.rules.jobset.JobSetFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.jobset.JobSetSpec.FailureAction;
import dev.regroup.rules.jobset.JobSetSpec.Strategy;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class JobSetPlanTest {

  @Test
  void makes_its_jobs_and_service_as1_as4_js79_js98() {
    var set = new JobSetFixture(spec(job("w", 3))).settle();

    assertThat(set.jobs.keySet()).containsExactly("a-w-0", "a-w-1", "a-w-2");
    assertThat(set.service).isTrue();
    set.service = false;
    assertThat(set.settle().service).isTrue();
  }

  @Test
  void labels_say_where_a_job_stands_as2_as3_js34() {
    var y = new JobSetSpec.ReplicatedJob("y", "g", 3, 2, OptionalInt.of(2), true, List.of(), true);
    var spec = spec(job("x", 1), y);
    var labels = ChildLabels.of(spec, JobSetStatus.EMPTY, JobSetGates.ALL, 1, 2);

    assertThat(labels)
        .containsEntry("jobset.sigs.k8s.io/job-global-index", "3")
        .containsEntry("jobset.sigs.k8s.io/global-replicas", "4")
        .containsEntry("jobset.sigs.k8s.io/job-group-index", "2")
        .containsEntry("jobset.sigs.k8s.io/group-replicas", "3")
        .containsEntry("jobset.sigs.k8s.io/group-name", "g")
        .containsEntry("jobset.sigs.k8s.io/restart-attempt", "0")
        .containsEntry("jobset.sigs.k8s.io/job-restart-attempt", "0")
        .doesNotContainKey("jobset.sigs.k8s.io/coordinator");
    assertThat(ChildLabels.jobKey("default", "a-w-0"))
        .isEqualTo("2cbc365a469f6edad38e1e778b63b62282c35469");
  }

  @Test
  void completes_when_all_jobs_have_as6_js85() {
    var set = new JobSetFixture(spec(job("w", 2))).settle();
    set.complete("a-w-0");
    assertThat(set.settle().status.finished()).isFalse();
    set.complete("a-w-1");
    set.settle();

    assertThat(set.status.is(JobSetStatus.Type.COMPLETED)).isTrue();
    assertThat(set.status.terminalState()).isEqualTo("Completed");
    assertThat(set.jobs).hasSize(2);
    assertThat(set.status.replicatedJobs().getFirst().succeeded()).isEqualTo(2);
  }

  @Test
  void any_success_ends_the_others_as7_js85() {
    var any = new JobSetSpec.SuccessPolicy(JobSetSpec.Operator.ANY, List.of("y"));
    var base = spec(job("x", 1), job("y", 2));
    var set =
        new JobSetFixture(with(base, base.jobs(), any, JobSetSpec.StartOrder.ANY_ORDER, false))
            .settle();
    set.complete("a-x-0");
    assertThat(set.settle().status.finished()).isFalse();
    set.complete("a-y-1");
    set.settle();

    assertThat(set.status.is(JobSetStatus.Type.COMPLETED)).isTrue();
    assertThat(set.jobs.keySet()).containsExactly("a-x-0", "a-y-1");
  }

  @Test
  void fails_without_a_policy_and_names_the_first_job_as9_as21_js86() {
    var set = new JobSetFixture(spec(job("w", 3))).settle();
    set.fail("a-w-0", "BackoffLimitExceeded", "m", NOW.plusSeconds(5));
    set.fail("a-w-2", "BackoffLimitExceeded", "m", NOW);
    set.settle();

    var failed = set.status.condition(JobSetStatus.Type.FAILED).orElseThrow();
    assertThat(failed.reason()).isEqualTo("FailedJobs");
    assertThat(failed.message())
        .isEqualTo("jobset failed due to one or more job failures (first failed job: a-w-2)");
    assertThat(set.jobs.keySet()).containsExactly("a-w-0", "a-w-2");
  }

  @Test
  void restarts_within_the_budget_then_fails_as16_js88() {
    var set = new JobSetFixture(failing(spec(job("w", 2)), 1, Strategy.RECREATE)).settle();
    set.fail("a-w-1");
    set.settle();
    assertThat(set.status.restarts()).isEqualTo(1);
    assertThat(set.status.restartsCountTowardsMax()).isEqualTo(1);
    assertThat(set.reason(JobSetStatus.Type.RESTARTING)).isEqualTo("DefaultFailurePolicy");
    assertThat(set.jobs.values()).allMatch(job -> job.restartAttempt().getAsInt() == 1);

    set.ready("a-w-0", "a-w-1");
    set.settle();
    assertThat(set.reason(JobSetStatus.Type.RESTARTING)).isEqualTo("JobsReady");
    set.fail("a-w-0");
    set.settle();
    assertThat(set.reason(JobSetStatus.Type.FAILED)).isEqualTo("ReachedMaxRestarts");
    assertThat(set.reason(JobSetStatus.Type.RESTARTING)).isEqualTo("JobSetFailed");
  }

  @Test
  void the_first_matching_rule_decides_as18_as19_as20_js87() {
    var fail = rule("f", FailureAction.FAIL_JOB_SET, List.of("PodFailurePolicy"), "some message");
    var spec = failing(spec(job("w", 1)), 5, Strategy.RECREATE, fail);
    var set = new JobSetFixture(spec).settle();
    set.fail("a-w-0", "PodFailurePolicy", "some critical message", NOW);
    set.settle();
    assertThat(set.status.restarts()).isEqualTo(1);
    set.fail("a-w-0", "BackoffLimitExceeded", "this is some message here", NOW);
    set.settle();
    assertThat(set.status.restarts()).isEqualTo(2);
    set.fail("a-w-0", "PodFailurePolicy", "this is some message here", NOW);
    set.settle();
    assertThat(set.reason(JobSetStatus.Type.FAILED)).isEqualTo("FailJobSetFailurePolicyAction");
  }

  @Test
  void ignored_restarts_cost_nothing_as22_js88() {
    var free = rule("r", FailureAction.RESTART_JOB_SET_AND_IGNORE_MAX_RESTARTS, List.of());
    var set = new JobSetFixture(failing(spec(job("w", 1)), 1, Strategy.RECREATE, free)).settle();
    for (int i = 0; i < 3; i++) {
      set.fail("a-w-0");
      set.settle();
    }
    assertThat(set.status.restarts()).isEqualTo(3);
    assertThat(set.status.restartsCountTowardsMax()).isZero();
    assertThat(set.status.finished()).isFalse();
    assertThat(set.reason(JobSetStatus.Type.RESTARTING)).isEqualTo("FailurePolicy_r");
  }

  @Test
  void blocking_recreate_waits_for_all_as24_js80() {
    var set = new JobSetFixture(failing(spec(job("w", 2)), 1, Strategy.BLOCKING_RECREATE)).settle();
    set.fail("a-w-0");
    set.step();
    var before = List.copyOf(set.jobs.values());

    set.step(); // deletes both, makes none while one was seen

    assertThat(before).hasSize(2);
    assertThat(set.jobs).isEmpty();
    assertThat(set.settle().jobs).hasSize(2);
  }

  @Test
  void restarts_a_single_job_as25_js88() {
    var one = rule("r", FailureAction.RESTART_JOB, List.of());
    var set = new JobSetFixture(failing(spec(job("w", 2)), 1, Strategy.RECREATE, one)).settle();
    var other = set.jobs.get("a-w-0");
    set.fail("a-w-1");
    set.settle();

    var counts = set.status.replicatedJobs().getFirst();
    assertThat(counts.jobRestarts()).containsExactly(0, 1);
    assertThat(counts.jobRestartsCountTowardsMax()).containsExactly(0, 1);
    assertThat(set.status.restarts()).isZero();
    assertThat(set.jobs.get("a-w-0")).isEqualTo(other);
    set.fail("a-w-1");
    set.settle();
    assertThat(set.reason(JobSetStatus.Type.FAILED)).isEqualTo("ReachedMaxRestarts");
  }

  @Test
  void dependencies_hold_a_job_back_as27_js81() {
    var ready = new JobSetSpec.Dependency("x", JobSetSpec.Until.READY);
    var set = new JobSetFixture(spec(job("x", 1), job("y", 1, ready))).settle();
    assertThat(set.jobs.keySet()).containsExactly("a-x-0");
    set.ready("a-x-0");
    assertThat(set.settle().jobs.keySet()).containsExactly("a-x-0", "a-y-0");

    var complete = new JobSetSpec.Dependency("x", JobSetSpec.Until.COMPLETE);
    var later = new JobSetFixture(spec(job("x", 1), job("y", 1, complete))).settle();
    later.ready("a-x-0");
    assertThat(later.settle().jobs).hasSize(1);
    later.complete("a-x-0");
    assertThat(later.settle().jobs).hasSize(2);
  }

  @Test
  void starts_in_order_as29_js82() {
    var base = spec(job("x", 1), job("y", 1));
    var set =
        new JobSetFixture(
                with(
                    base, base.jobs(), base.successPolicy(), JobSetSpec.StartOrder.IN_ORDER, false))
            .settle();
    assertThat(set.jobs.keySet()).containsExactly("a-x-0");
    assertThat(set.status.is(JobSetStatus.Type.STARTUP_IN_PROGRESS)).isTrue();
    set.ready("a-x-0");
    set.settle();
    set.ready("a-y-0");
    set.settle();
    assertThat(set.status.is(JobSetStatus.Type.STARTUP_COMPLETED)).isTrue();
    assertThat(set.status.is(JobSetStatus.Type.STARTUP_IN_PROGRESS)).isFalse();
  }

  @Test
  void suspends_and_resumes_as31_js92_js93_js95() {
    var set = new JobSetFixture(spec(job("w", 2))).settle();
    assertThat(set.status.condition(JobSetStatus.Type.SUSPENDED)).isEmpty();
    set.spec = suspended(set.spec, true);
    set.settle();
    assertThat(set.jobs.values()).allMatch(ChildJob::suspended);
    assertThat(set.reason(JobSetStatus.Type.SUSPENDED)).isEqualTo("SuspendedJobs");
    set.spec = suspended(set.spec, false);
    set.settle();
    assertThat(set.jobs.values()).noneMatch(ChildJob::suspended);
    assertThat(set.reason(JobSetStatus.Type.SUSPENDED)).isEqualTo("ResumeJobs");
  }

  @Test
  void expires_after_its_time_to_live_as14_js104() {
    var base = spec(job("w", 1));
    var set =
        new JobSetFixture(
                new JobSetSpec(
                    base.namespace(),
                    base.name(),
                    base.uid(),
                    base.jobs(),
                    base.network(),
                    base.successPolicy(),
                    Optional.empty(),
                    base.startOrder(),
                    false,
                    Optional.empty(),
                    OptionalInt.of(2),
                    List.of()))
            .settle();
    set.fail("a-w-0");
    set.settle();
    assertThat(set.step().wakeUp()).isEqualTo(NOW.plusSeconds(2));
    set.now = NOW.plusSeconds(2);
    assertThat(set.step().effects()).contains(new JobSetPlan.Effect.DeleteJobSet());
  }

  @Test
  void replicas_0_and_no_jobs_are_legal_js84() {
    assertThat(new JobSetFixture(spec()).settle().status.finished()).isFalse();
    var set = new JobSetFixture(spec(job("x", 0), job("y", 1))).settle();
    assertThat(set.jobs.keySet()).containsExactly("a-y-0");
  }

  @Test
  void a_second_look_changes_nothing_as45_js72() {
    var set = new JobSetFixture(spec(job("w", 2))).settle();

    var plan = set.step();

    assertThat(plan.write()).isEqualTo(JobSetPlan.Write.NOTHING);
    assertThat(plan.effects()).isEmpty();
  }

  private static JobSetSpec.FailureRule rule(
      String name, FailureAction action, List<String> reasons, String... patterns) {
    return new JobSetSpec.FailureRule(name, action, reasons, List.of(patterns), List.of());
  }
}
