package dev.regroup.rules.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.job.FailurePolicy.Action;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Failure and success policies of a Job, and the delay before replacements. */
class JobPolicyTest {
  private static final OptionalInt NONE = OptionalInt.empty();
  private static final FailurePolicy.Rule FAIL_ON_143 = onCode(Action.FAIL_JOB, 143);

  private static FailurePolicy.Rule onCode(Action action, int code) {
    return new FailurePolicy.Rule(
        action, null, FailurePolicy.Operator.IN, List.of(code), List.of());
  }

  private static FailurePolicy.Rule onDisruption(Action action) {
    var disrupted = new JobPod.Condition("DisruptionTarget", "True");
    return new FailurePolicy.Rule(action, null, null, List.of(), List.of(disrupted));
  }

  private static Specs withRules(int size, FailurePolicy.Rule... rules) {
    return Specs.of(JobFixture.indexed(size))
        .policies(new FailurePolicy(List.of(rules)), List.of());
  }

  private static void disrupt(JobFixture job, int index) {
    var pod = job.of(index);
    job.pods.put(
        pod.uid(), job.change(pod).phase(JobPod.Phase.FAILED).condition("DisruptionTarget").pod());
  }

  private static String target(JobFixture job) {
    return job.status
        .condition(JobStatus.Type.FAILURE_TARGET)
        .map(JobStatus.Condition::message)
        .orElse("");
  }

  @Test
  @Rule({"JB-70", "BS-19"})
  void a_container_that_ended_in_a_living_pod_is_not_judged() {
    var job = new JobFixture(withRules(1, onCode(Action.FAIL_JOB, 5)).spec()).settle();
    var pod = job.of(0);
    job.pods.put(
        pod.uid(), job.change(pod).phase(JobPod.Phase.RUNNING).exit("main", 5).restarts(1).pod());

    job.settle();

    assertThat(job.status.is(JobStatus.Type.FAILURE_TARGET)).isFalse();
    assertThat(job.active()).isEqualTo(1);
  }

  @Test
  @Rule({"JB-71", "JB-72", "BS-17", "BS-44"})
  void a_condition_can_be_ignored_or_fail_the_job() {
    var ignoring = new JobFixture(withRules(1, onDisruption(Action.IGNORE)).spec()).settle();
    disrupt(ignoring, 0);
    ignoring.settle();
    assertThat(ignoring.status.failed()).isZero();

    var failing = new JobFixture(withRules(1, onDisruption(Action.FAIL_JOB)).spec()).settle();
    var name = failing.of(0).name();
    disrupt(failing, 0);
    failing.settle();
    assertThat(target(failing))
        .isEqualTo(
            "Pod ns/%s has condition DisruptionTarget matching FailJob rule at index 0"
                .formatted(name));

    var counting = new JobFixture(withRules(1, onDisruption(Action.IGNORE)).spec()).settle();
    counting.fail(counting.of(0), 10);
    counting.settle();
    assertThat(counting.status.failed()).isEqualTo(1);
  }

  @Test
  @Rule("JB-72")
  void an_action_of_a_later_version_is_skipped() {
    var spec = withRules(1, onCode(Action.UNKNOWN, 5), onCode(Action.FAIL_JOB, 5)).spec();
    var job = new JobFixture(spec).settle();
    job.fail(job.of(0), 5);

    job.settle();

    assertThat(target(job)).endsWith("matching FailJob rule at index 1");
  }

  @Test
  @Rule({"JB-73", "BS-22"})
  void fail_index_fails_the_index_at_once() {
    var spec =
        withRules(2, onCode(Action.FAIL_INDEX, 5))
            .limits(Integer.MAX_VALUE, OptionalInt.of(3), NONE)
            .spec();
    var job = new JobFixture(spec).settle();
    job.fail(job.of(0), 5);

    job.settle();

    assertThat(job.status.failedIndexes().orElseThrow().text()).isEqualTo("0");
    assertThat(job.activeIndexes()).containsExactly(1);
    assertThat(job.status.is(JobStatus.Type.FAILURE_TARGET)).isFalse();
  }

  @Test
  @Rule("BS-46")
  void the_first_candidate_is_named_and_stays_named() {
    var job = new JobFixture(withRules(3, onCode(Action.FAIL_JOB, 5)).spec()).settle();
    var first = job.of(0).name();
    job.fail(job.of(0), 5);
    job.fail(job.of(1), 5);
    job.settle();
    assertThat(target(job)).startsWith("Container main for pod ns/" + first + " failed");
    var before = job.status.condition(JobStatus.Type.FAILURE_TARGET);

    job.now = job.now.plusSeconds(3);
    job.pods.remove("u0");
    job.settle();

    assertThat(job.status.condition(JobStatus.Type.FAILURE_TARGET)).isEqualTo(before);
  }

  @Test
  @Rule({"BS-43", "BS-49"})
  void a_succeeded_pod_is_not_judged_by_its_helpers() {
    var job = new JobFixture(withRules(1, FAIL_ON_143).spec()).settle();
    var pod = job.of(0);
    job.pods.put(pod.uid(), job.change(pod).phase(JobPod.Phase.SUCCEEDED).exit("logs", 143).pod());

    job.settle();

    assertThat(job.status.is(JobStatus.Type.COMPLETE)).isTrue();
    assertThat(job.status.failed()).isZero();
  }

  @Test
  @Rule("BS-45")
  void a_deleted_pod_that_ends_with_success_has_succeeded() {
    var spec =
        Specs.of(JobFixture.indexed(1))
            .behaviour(JobSpec.Replace.FAILED, JobSpec.PodRestart.NEVER, JobSpec.Kin.ALONE)
            .spec();
    var job = new JobFixture(spec).settle();
    var pod = job.of(0);
    job.pods.put(pod.uid(), job.change(pod).terminating(true).phase(JobPod.Phase.SUCCEEDED).pod());

    job.settle();

    assertThat(job.status.completedIndexes().text()).isEqualTo("0");
    assertThat(job.status.is(JobStatus.Type.COMPLETE)).isTrue();
    assertThat(job.status.failed()).isZero();
  }

  @Test
  @Rule({"BS-13", "BS-50", "RAC-79", "JS-125"})
  void restarts_count_in_living_pods_only_and_only_with_policy_on_failure() {
    assertThat(failsAt(6, JobPod.Phase.RUNNING, 4)).isFalse(); // first cycle of four containers
    assertThat(failsAt(6, JobPod.Phase.RUNNING, 8)).isTrue(); // second
    assertThat(failsAt(6, JobPod.Phase.PENDING, 6)).isTrue();
    assertThat(failsAt(6, JobPod.Phase.SUCCEEDED, 8)).isFalse();
    assertThat(failsAt(0, JobPod.Phase.RUNNING, 0)).isFalse();
    assertThat(failsAt(0, JobPod.Phase.RUNNING, 1)).isTrue();
    assertThat(failsAt(Integer.MAX_VALUE, JobPod.Phase.RUNNING, 1_000_000)).isFalse();
  }

  private static boolean failsAt(int backoffLimit, JobPod.Phase phase, int restarts) {
    var spec =
        Specs.of(JobFixture.indexed(2))
            .limits(backoffLimit, NONE, NONE)
            .behaviour(
                JobSpec.Replace.TERMINATING_OR_FAILED,
                JobSpec.PodRestart.ON_FAILURE,
                JobSpec.Kin.ALONE)
            .spec();
    var job = new JobFixture(spec).settle();
    var pod = job.of(0);
    job.pods.put(pod.uid(), job.change(pod).phase(phase).restarts(restarts).pod());
    return job.settle().status.is(JobStatus.Type.FAILURE_TARGET);
  }

  @Test
  @Rule("JB-74")
  void a_count_alone_is_met_by_any_indexes() {
    var rule = new JobSpec.SuccessRule(Optional.empty(), OptionalInt.of(2));

    assertThat(rule.met(IndexSet.of(7))).isFalse();
    assertThat(rule.met(IndexSet.of(7, 9))).isTrue();
    assertThat(new JobSpec.SuccessRule(Optional.empty(), NONE).met(IndexSet.of(1))).isFalse();
  }

  @Test
  @Rule("BS-15")
  void an_ignored_failure_delays_the_replacement_too() {
    var job = new JobFixture(withRules(1, onCode(Action.IGNORE, 5)).spec()).settle();
    job.fail(job.of(0), 5);

    job.settle();

    assertThat(job.active()).isZero();
    assertThat(job.wakeUp).isEqualTo(job.now.plusSeconds(10));
  }

  @Test
  @Rule({"JB-81", "JB-124"})
  void each_index_waits_for_itself_10_s_then_20_s() {
    var spec =
        Specs.of(JobFixture.indexed(2)).limits(Integer.MAX_VALUE, OptionalInt.of(2), NONE).spec();
    var job = new JobFixture(spec).settle();
    for (int failures = 0; failures < 2; failures++) {
      assertThat(job.of(0).failureCount()).isEqualTo(failures);
      job.fail(job.of(0), 1);
      job.settle();
      var due = job.now.plusSeconds(failures == 0 ? 10 : 20);
      assertThat(job.wakeUp).isEqualTo(due);
      assertThat(job.activeIndexes()).containsExactly(1);
      job.now = due;
      job.settle();
    }

    job.fail(job.of(0), 1); // the third failure

    assertThat(job.settle().status.failedIndexes().orElseThrow().text()).isEqualTo("0");
  }

  @Test
  @Rule("JB-81")
  void ignored_failures_of_an_index_are_carried_beside_the_counted() {
    var spec =
        withRules(1, onCode(Action.IGNORE, 5))
            .limits(Integer.MAX_VALUE, OptionalInt.of(9), NONE)
            .spec();
    var job = new JobFixture(spec);
    var uid = job.add(0, 1, 2);
    job.fail(job.pods.get(uid), 5);
    job.settle();
    assertThat(job.wakeUp).isEqualTo(job.now.plusSeconds(80)); // the fourth of any kind

    job.now = job.now.plusSeconds(80);
    job.settle();

    assertThat(job.of(0).failureCount()).isEqualTo(1);
    assertThat(job.of(0).ignoredFailureCount()).isEqualTo(3);
  }

  @Test
  @Rule("JB-83")
  void looks_again_at_least_a_second_later() {
    var job = new JobFixture(JobFixture.indexed(1)).settle();
    job.fail(job.of(0), 1);
    job.settle();
    job.now = job.now.plusMillis(9_900);

    job.settle();

    assertThat(job.active()).isZero();
    assertThat(job.wakeUp).isEqualTo(job.now.plusSeconds(1));
  }

  @Test
  @Rule({"BS-14", "JB-80"})
  void a_success_resets_to_the_failures_after_it() {
    var job = new JobFixture(JobFixture.indexed(4)).settle();
    job.fail(job.of(0), 1);
    job.settle();
    job.now = job.now.plusSeconds(5);
    job.succeed(job.of(1));
    var success = job.of(2);
    job.now = job.now.plusSeconds(1);
    job.fail(success, 1); // after the success
    job.settle();

    assertThat(job.backOff.failures()).isEqualTo(1);
    assertThat(job.wakeUp).isEqualTo(job.now.plusSeconds(10));
    assertThat(JobBackOff.delay(0)).isEqualTo(Duration.ZERO);
    assertThat(JobBackOff.delay(6)).isEqualTo(Duration.ofSeconds(320));
  }

  @Test
  @Rule({"JB-84", "JB-122", "JS-163", "AS-77"})
  void a_pod_lost_with_its_node_is_replaced_without_delay_in_a_group() {
    var base = Specs.of(JobFixture.indexed(1)).limits(Integer.MAX_VALUE, NONE, NONE);
    var grouped =
        base.behaviour(
            JobSpec.Replace.FAILED, JobSpec.PodRestart.NEVER, JobSpec.Kin.IN_PLACE_JOBSET);
    var alone = base.behaviour(JobSpec.Replace.FAILED, JobSpec.PodRestart.NEVER, JobSpec.Kin.ALONE);
    var group = new JobFixture(grouped.spec()).settle();
    var other = new JobFixture(alone.spec()).settle();
    disrupt(group, 0);
    disrupt(other, 0);

    assertThat(group.settle().active()).isEqualTo(1);
    assertThat(other.settle().active()).isZero();
    assertThat(other.wakeUp).isEqualTo(other.now.plusSeconds(10));
  }

  @Test
  @Rule("JB-84")
  void a_group_forgets_failures_after_ten_minutes_and_a_lone_job_does_not() {
    var base = Specs.of(JobFixture.indexed(1)).limits(Integer.MAX_VALUE, NONE, NONE);
    for (var kin : JobSpec.Kin.values()) {
      var spec = base.behaviour(JobSpec.Replace.FAILED, JobSpec.PodRestart.NEVER, kin).spec();
      var job = new JobFixture(spec).settle();
      job.fail(job.of(0), 1);
      job.settle();
      job.now = job.now.plusSeconds(660);
      job.settle();
      job.fail(job.of(0), 1);

      job.settle();

      boolean grouped = kin == JobSpec.Kin.IN_PLACE_JOBSET;
      assertThat(job.wakeUp).as("%s", kin).isEqualTo(job.now.plusSeconds(grouped ? 10 : 20));
    }
  }
}
