package dev.regroup.rules.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class JobPlanTest {
  private static final OptionalInt NONE = OptionalInt.empty();

  @Test
  void makes_the_lowest_indexes_and_completes_bs6_jb55() {
    var job = new JobFixture(JobFixture.indexed(3)).settle();
    assertThat(job.activeIndexes()).containsExactly(0, 1, 2);

    job.succeed(job.of(1));
    job.succeed(job.of(0));
    job.settle();
    assertThat(job.status.completedIndexes().text()).isEqualTo("0,1");
    job.succeed(job.of(2));
    job.settle();

    assertThat(job.status.completedIndexes().text()).isEqualTo("0-2");
    assertThat(job.status.succeeded()).isEqualTo(3);
    assertThat(job.status.is(JobStatus.Type.COMPLETE)).isTrue();
    assertThat(job.status.completionTime()).isEqualTo(JobFixture.NOW);
    assertThat(job.notes).contains(new JobPlan.Note(false, "Completed", "Job completed"));
    assertThat(job.pods.values()).noneMatch(JobPod::tracked);
  }

  @Test
  void counts_one_success_in_the_order_of_jb120() {
    var spec =
        Specs.of(JobFixture.indexed(1))
            .size(1, OptionalInt.of(1), JobSpec.Completion.NON_INDEXED)
            .spec();
    var job = new JobFixture(spec).settle();
    var pod = job.of(-1);
    job.succeed(pod);

    var effects = job.step().effects();

    var noted = (JobPlan.Effect.WriteStatus) effects.get(0);
    assertThat(noted.status().uncountedSucceeded()).containsExactly(pod.uid());
    assertThat(noted.status().is(JobStatus.Type.SUCCESS_CRITERIA_MET)).isTrue();
    assertThat(noted.status().is(JobStatus.Type.COMPLETE)).isFalse();
    assertThat(effects.get(1)).isInstanceOf(JobPlan.Effect.RemoveFinalizers.class);
    var last = (JobPlan.Effect.WriteStatus) effects.get(2);
    assertThat(last.status().succeeded()).isEqualTo(1);
    assertThat(last.status().is(JobStatus.Type.COMPLETE)).isTrue();
  }

  /** Kill at every effect: the counters end exact. */
  @Test
  void counts_exactly_once_whatever_effect_the_controller_dies_at_bs32_jb57() {
    for (int survive = 0; survive < 4; survive++) {
      var job = new JobFixture(JobFixture.indexed(3)).settle();
      job.succeed(job.of(0));
      job.fail(job.of(1), 1);
      var plan =
          JobPlan.plan(
              job.spec,
              job.status,
              new ArrayList<>(job.pods.values()),
              JobBackOff.NONE,
              JobPlan.Sight.CLEAR,
              job.now);
      plan.effects().stream().limit(survive).forEach(job::perform);
      job.now = job.now.plusSeconds(60);

      job.settle();

      assertThat(job.status.failed()).as("after %d effects", survive).isEqualTo(1);
      assertThat(job.status.succeeded()).as("after %d effects", survive).isEqualTo(1);
      assertThat(job.status.allCounted()).isTrue();
    }
  }

  @Test
  void work_queue_starts_nothing_new_after_a_success_bs3_jb52() {
    var spec = Specs.of(JobFixture.indexed(1)).size(5, NONE, JobSpec.Completion.NON_INDEXED).spec();
    var job = new JobFixture(spec).settle();
    assertThat(job.active()).isEqualTo(5);

    job.succeed(job.of(-1));
    job.settle();
    assertThat(job.active()).isEqualTo(4);
    for (int i = 0; i < 4; i++) {
      job.fail(job.of(-1), 1);
    }
    job.settle();

    assertThat(job.active()).isZero();
    assertThat(job.status.is(JobStatus.Type.COMPLETE)).isTrue();
  }

  @Test
  void scales_down_without_counting_and_up_again_bs5_jb53() {
    var spec =
        Specs.of(JobFixture.indexed(1)).size(5, OptionalInt.of(9), JobSpec.Completion.NON_INDEXED);
    var job = new JobFixture(spec.spec()).settle();
    var ready = job.of(-1);
    job.ready(ready);

    job.spec = spec.size(2, OptionalInt.of(9), JobSpec.Completion.NON_INDEXED).spec();
    job.settle();
    assertThat(job.active()).isEqualTo(2);
    assertThat(job.pods).containsKey(ready.uid());
    assertThat(job.status.failed()).isZero();

    job.spec = spec.size(4, OptionalInt.of(9), JobSpec.Completion.NON_INDEXED).spec();
    assertThat(job.settle().active()).isEqualTo(4);
  }

  @Test
  void of_two_pods_with_one_index_the_ready_one_survives_bs10_jb53() {
    var job = new JobFixture(JobFixture.indexed(2)).settle();
    var ready = job.of(1);
    job.ready(ready);
    job.add(1, 0, 0);

    job.settle();

    assertThat(job.activeIndexes()).containsExactly(0, 1);
    assertThat(job.pods).containsKey(ready.uid());
  }

  @Test
  void fail_job_rule_fails_with_the_exact_message_bs16_jb72() {
    var job = new JobFixture(withPolicy(FailurePolicy.Action.FAIL_JOB, 5)).settle();
    var pod = job.of(1);
    job.fail(pod, 5);
    job.settle();

    var target = job.status.condition(JobStatus.Type.FAILURE_TARGET).orElseThrow();
    assertThat(target.reason()).isEqualTo("PodFailurePolicy");
    assertThat(target.message())
        .isEqualTo(
            "Container main for pod ns/%s failed with exit code 5 matching FailJob rule at index 0"
                .formatted(pod.name()));
  }

  @Test
  void ignored_failures_are_replaced_and_not_counted_bs17_jb72() {
    var job = new JobFixture(withPolicy(FailurePolicy.Action.IGNORE, 5)).settle();
    job.fail(job.of(0), 5);
    job.settle();
    job.now = job.now.plusSeconds(10); // but they delay the replacement (BS-15)
    job.settle();

    assertThat(job.status.failed()).isZero();
    assertThat(job.active()).isEqualTo(2);
  }

  @Test
  void exit_0_never_matches_and_names_limit_a_rule_bs18_jb71() {
    var rule =
        new FailurePolicy.Rule(
            FailurePolicy.Action.FAIL_JOB,
            "main",
            FailurePolicy.Operator.NOT_IN,
            List.of(3),
            List.of());
    var policy = new FailurePolicy(List.of(rule));
    var job = new JobFixture(JobFixture.indexed(1)).settle();
    var failed = job.change(job.of(0)).phase(JobPod.Phase.FAILED);

    assertThat(policy.judge("ns", failed.exit("main", 0).pod())).isEmpty();
    assertThat(policy.judge("ns", failed.exit("side", 7).pod())).isEmpty();
    assertThat(policy.judge("ns", failed.exit("main", 3).pod())).isEmpty();
    assertThat(policy.judge("ns", failed.exit("main", 7).pod())).isPresent();
  }

  @Test
  void an_index_fails_after_its_own_limit_bs20_jb73_jb124() {
    var spec =
        Specs.of(JobFixture.indexed(2)).limits(Integer.MAX_VALUE, OptionalInt.of(1), NONE).spec();
    var job = new JobFixture(spec).settle();
    job.fail(job.of(0), 1);
    job.settle();
    assertThat(job.activeIndexes()).containsExactly(1);
    assertThat(job.wakeUp).isEqualTo(job.now.plusSeconds(10));

    job.now = job.now.plusSeconds(10);
    job.settle();
    assertThat(job.of(0).failureCount()).isEqualTo(1);
    job.fail(job.of(0), 1);
    job.settle();
    assertThat(job.status.failedIndexes().orElseThrow().text()).isEqualTo("0");
    job.succeed(job.of(1));
    job.settle();
    assertThat(job.status.condition(JobStatus.Type.FAILED).orElseThrow().reason())
        .isEqualTo("FailedIndexes");
  }

  @Test
  void too_many_failed_indexes_fail_the_job_bs21_jb47() {
    var spec =
        Specs.of(JobFixture.indexed(3))
            .limits(Integer.MAX_VALUE, OptionalInt.of(0), OptionalInt.of(1))
            .spec();
    var job = new JobFixture(spec).settle();
    job.fail(job.of(0), 1);
    job.settle();
    assertThat(job.status.is(JobStatus.Type.FAILURE_TARGET)).isFalse();
    job.fail(job.of(1), 1);
    job.settle();
    assertThat(job.status.condition(JobStatus.Type.FAILURE_TARGET).orElseThrow().reason())
        .isEqualTo("MaxFailedIndexesExceeded");
  }

  @Test
  void success_policy_ends_the_job_early_bs23_jb74() {
    var rule = new JobSpec.SuccessRule(Optional.of(IndexSet.of(0)), NONE);
    var spec =
        Specs.of(JobFixture.indexed(3))
            .policies(new FailurePolicy(List.of()), List.of(rule))
            .spec();
    var job = new JobFixture(spec).settle();
    job.succeed(job.of(1));
    assertThat(job.settle().status.is(JobStatus.Type.SUCCESS_CRITERIA_MET)).isFalse();
    job.succeed(job.of(0));
    job.settle();
    assertThat(job.status.condition(JobStatus.Type.SUCCESS_CRITERIA_MET).orElseThrow().message())
        .isEqualTo("Matched rules at index 0");
    job.pods.values().removeIf(JobPod::leaving);
    job.settle();
    assertThat(job.status.is(JobStatus.Type.COMPLETE)).isTrue();
    assertThat(job.status.failed()).isZero();

    var counted = new JobSpec.SuccessRule(Optional.of(IndexSet.of(1, 2, 3, 4)), OptionalInt.of(2));
    assertThat(counted.met(IndexSet.of(1, 3, 5))).isTrue();
    assertThat(counted.met(IndexSet.of(1, 5))).isFalse();
  }

  @Test
  void failure_comes_before_success_but_a_met_success_stays_bs24_jb47() {
    var rule = new JobSpec.SuccessRule(Optional.of(IndexSet.of(0)), NONE);
    var base = withPolicy(FailurePolicy.Action.FAIL_JOB, 5);
    var spec = Specs.of(base).policies(base.podFailurePolicy().orElseThrow(), List.of(rule)).spec();
    var job = new JobFixture(spec).settle();
    job.succeed(job.of(0));
    job.fail(job.of(1), 5);

    job.settle();

    assertThat(job.status.is(JobStatus.Type.FAILED)).isTrue();
  }

  @Test
  void deadline_counts_from_resume_bs27_jb125() {
    var base = Specs.of(JobFixture.indexed(1));
    var job = new JobFixture(base.wish(JobSpec.Wish.RUN, OptionalLong.of(60)).spec()).settle();
    assertThat(job.wakeUp).isEqualTo(JobFixture.NOW.plusSeconds(60));

    job.now = JobFixture.NOW.plusSeconds(50);
    job.spec = base.wish(JobSpec.Wish.SUSPEND, OptionalLong.of(60)).spec();
    job.settle();
    assertThat(job.active()).isZero();
    assertThat(job.status.startTime()).isNull();
    assertThat(job.status.failed()).isZero();
    assertThat(job.status.is(JobStatus.Type.SUSPENDED)).isTrue();

    job.now = JobFixture.NOW.plusSeconds(500);
    job.spec = base.wish(JobSpec.Wish.RUN, OptionalLong.of(60)).spec();
    job.settle();
    assertThat(job.status.startTime()).isEqualTo(job.now);
    job.now = JobFixture.NOW.plusSeconds(560);
    job.settle();
    assertThat(job.status.condition(JobStatus.Type.FAILURE_TARGET).orElseThrow().reason())
        .isEqualTo("DeadlineExceeded");
  }

  @Test
  void a_job_without_work_completes_also_suspended_bs30_jb90() {
    var none = JobFixture.indexed(0);
    assertThat(new JobFixture(none).settle().status.is(JobStatus.Type.COMPLETE)).isTrue();
    var asleep = Specs.of(none).wish(JobSpec.Wish.SUSPEND, OptionalLong.empty()).spec();
    assertThat(new JobFixture(asleep).settle().status.is(JobStatus.Type.COMPLETE)).isTrue();
  }

  @Test
  void scaling_an_indexed_job_drops_indexes_out_of_range_bs31_jb123() {
    var job = new JobFixture(JobFixture.indexed(4)).settle();
    job.succeed(job.of(2));
    job.fail(job.of(1), 1);
    job.settle();
    assertThat(job.status.succeeded()).isEqualTo(1);

    job.spec = JobFixture.indexed(2);
    job.now = job.now.plusSeconds(10);
    job.settle();

    assertThat(job.activeIndexes()).containsExactly(0, 1);
    assertThat(job.status.succeeded()).isZero();
    assertThat(job.status.completedIndexes().isEmpty()).isTrue();
    assertThat(job.status.failed()).isEqualTo(1);
  }

  @Test
  void a_thousand_pods_are_counted_in_portions_of_500_bs33_jb57() {
    var job = new JobFixture(JobFixture.indexed(1000));
    job.settle();
    List.copyOf(job.pods.values()).forEach(job::succeed);

    var first = job.step();
    var removed =
        first.effects().stream()
            .filter(JobPlan.Effect.RemoveFinalizers.class::isInstance)
            .map(effect -> ((JobPlan.Effect.RemoveFinalizers) effect).pods().size())
            .toList();
    assertThat(removed).containsExactly(500);
    job.settle();
    assertThat(job.status.succeeded()).isEqualTo(1000);
    assertThat(job.status.completedIndexes().text()).isEqualTo("0-999");
  }

  @Test
  void a_job_being_deleted_makes_nothing_and_lets_go_jb93() {
    var job = new JobFixture(JobFixture.indexed(2)).settle();
    job.spec = Specs.of(job.spec).wish(JobSpec.Wish.DELETE, OptionalLong.empty()).spec();

    var plan = job.step();

    assertThat(plan.effects()).hasSize(1);
    assertThat(plan.effects().getFirst()).isInstanceOf(JobPlan.Effect.RemoveFinalizers.class);
  }

  @Test
  void a_job_being_deleted_counts_what_ended_and_shows_who_is_left_jb93() {
    var job = new JobFixture(JobFixture.indexed(3)).settle();
    job.succeed(job.of(0));
    job.spec = Specs.of(job.spec).wish(JobSpec.Wish.DELETE, OptionalLong.empty()).spec();
    job.settle();
    assertThat(job.status.succeeded()).isEqualTo(1);
    assertThat(job.status.active()).isEqualTo(2);

    job.succeed(job.of(1));
    job.fail(job.of(2), 1);
    job.settle();

    assertThat(job.status.active()).isZero();
    assertThat(job.status.succeeded()).as("let go before it ended").isEqualTo(1);
    assertThat(job.status.failed()).as("let go before it ended").isZero();
    assertThat(job.active()).isZero();
  }

  @Test
  void more_successes_than_asked_for_are_told_jb96() {
    var spec =
        Specs.of(JobFixture.indexed(1))
            .size(1, OptionalInt.of(1), JobSpec.Completion.NON_INDEXED)
            .spec();
    var job = new JobFixture(spec);
    for (int i = 0; i < 2; i++) {
      job.succeed(job.pods.get(job.add(-1, 0, 0)));
    }

    job.settle();

    assertThat(job.status.is(JobStatus.Type.COMPLETE)).isTrue();
    assertThat(job.notes)
        .containsExactly(
            new JobPlan.Note(
                true,
                "TooManySucceededPods",
                "Too many succeeded pods running after completion count reached"),
            new JobPlan.Note(false, "Completed", "Job completed"));
  }

  @Test
  void failed_indexes_out_of_range_leave_the_status_bs31_jb61() {
    var none = OptionalInt.empty();
    var base = Specs.of(JobFixture.indexed(3)).limits(6, OptionalInt.of(0), none);
    var job = new JobFixture(base.spec()).settle();
    job.fail(job.of(2), 1);
    job.settle();
    assertThat(job.status.failedIndexes()).contains(IndexSet.of(2));

    job.spec = base.size(2, OptionalInt.of(2), JobSpec.Completion.INDEXED).spec();
    job.settle();

    assertThat(job.status.failedIndexes()).contains(IndexSet.EMPTY);
  }

  /** Caches lag behind what was done (JB-117). */
  @Test
  void a_blurred_sight_neither_makes_nor_deletes_jb41() {
    var job = new JobFixture(JobFixture.indexed(2));

    var plan =
        JobPlan.plan(
            job.spec, job.status, List.of(), JobBackOff.NONE, JobPlan.Sight.BLURRED, job.now);

    assertThat(plan.effects())
        .noneMatch(JobPlan.Effect.CreatePods.class::isInstance)
        .allMatch(JobPlan.Effect.WriteStatus.class::isInstance);
  }

  private static JobSpec withPolicy(FailurePolicy.Action action, int code) {
    var rule =
        new FailurePolicy.Rule(action, null, FailurePolicy.Operator.IN, List.of(code), List.of());
    return Specs.of(JobFixture.indexed(2))
        .policies(new FailurePolicy(List.of(rule)), List.of())
        .spec();
  }
}
