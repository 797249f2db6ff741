package dev.regroup.rules.jobset;

import static dev.regroup.rules.jobset.JobSetFixture.NOW;
import static dev.regroup.rules.jobset.JobSetFixture.failing;
import static dev.regroup.rules.jobset.JobSetFixture.job;
import static dev.regroup.rules.jobset.JobSetFixture.spec;
import static dev.regroup.rules.jobset.JobSetFixture.suspended;
import static dev.regroup.rules.jobset.JobSetFixture.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.regroup.rules.Rule;
import dev.regroup.rules.jobset.JobSetPlan.Effect;
import dev.regroup.rules.jobset.JobSetSpec.FailureAction;
import dev.regroup.rules.jobset.JobSetSpec.Strategy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Children, counts, conditions and order of a JobSet, rule by rule. */
class JobSetRulesTest {

  private static JobSetSpec.FailureRule rule(FailureAction action, String... targets) {
    return new JobSetSpec.FailureRule("r", action, List.of(), List.of(), List.of(targets));
  }

  private static JobSetSpec inOrder(JobSetSpec spec) {
    return with(
        spec, spec.jobs(), spec.successPolicy(), JobSetSpec.StartOrder.IN_ORDER, spec.suspend());
  }

  private static JobSetSpec built(
      JobSetSpec spec, Optional<JobSetSpec.Coordinator> coordinator, List<String> claims) {
    return new JobSetSpec(
        spec.namespace(),
        spec.name(),
        spec.uid(),
        spec.jobs(),
        spec.network(),
        spec.successPolicy(),
        spec.failurePolicy(),
        spec.startOrder(),
        spec.suspend(),
        coordinator,
        spec.ttlSecondsAfterFinished(),
        claims);
  }

  @Test
  @Rule({"JS-30", "JS-34", "JS-40", "AS-1", "AS-2", "AS-3"})
  void every_child_carries_all_keys() {
    var x = job("x", 2);
    var y = new JobSetSpec.ReplicatedJob("y", "g", 3, 2, OptionalInt.of(2), true, List.of(), true);
    var z = new JobSetSpec.ReplicatedJob("z", "g", 4, 2, OptionalInt.of(2), true, List.of(), true);
    var coordinator = Optional.of(new JobSetSpec.Coordinator("x", 1, 0));
    var spec = built(spec(x, y, z), coordinator, List.of());
    var status = JobSetStatus.EMPTY.withRestarts(7, 0);

    var labels = ChildLabels.of(spec, status, JobSetGates.ALL, 2, 1);

    var keys = new TreeMap<String, String>();
    labels.forEach((key, value) -> keys.put(key.replace("jobset.sigs.k8s.io/", ""), value));
    assertThat(keys)
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                Map.entry("jobset-name", "a"),
                Map.entry("jobset-uid", "uid-a"),
                Map.entry("replicatedjob-name", "z"),
                Map.entry("replicatedjob-replicas", "4"),
                Map.entry("global-replicas", "9"),
                Map.entry("job-index", "1"),
                Map.entry("job-global-index", "6"),
                Map.entry("job-key", ChildLabels.jobKey("default", "a-z-1")),
                Map.entry("restart-attempt", "7"),
                Map.entry("job-restart-attempt", "0"),
                Map.entry("group-name", "g"),
                Map.entry("group-replicas", "7"),
                Map.entry("job-group-index", "4"),
                Map.entry("coordinator", "a-x-1-0.a")));
    assertThat(ChildLabels.of(spec, status, new JobSetGates(true, false, true), 2, 1))
        .doesNotContainKey("jobset.sigs.k8s.io/job-restart-attempt");
  }

  @Test
  @Rule({"JS-29", "JS-77", "JS-28e"})
  void counts_jobs_by_class_sorted_by_name_from_the_end() {
    var set = new JobSetFixture(spec(job("x", 3), job("y", 2))).settle();
    set.ready("a-x-0");
    set.complete("a-x-1");
    var slow = set.jobs.get("a-y-0");
    set.put(slow, j -> j.active(1).ready(1)); // one of two pods
    var half = set.jobs.get("a-y-1");
    set.put(half, j -> j.ready(1).succeeded(1).suspended(true)); // one runs, one has ended

    set.step();

    assertThat(set.status.replicatedJobs())
        .extracting(
            JobSetStatus.ReplicatedJobStatus::name,
            JobSetStatus.ReplicatedJobStatus::ready,
            JobSetStatus.ReplicatedJobStatus::succeeded,
            JobSetStatus.ReplicatedJobStatus::failed,
            JobSetStatus.ReplicatedJobStatus::active,
            JobSetStatus.ReplicatedJobStatus::suspended)
        .containsExactly(tuple("y", 1, 0, 0, 1, 1), tuple("x", 1, 1, 0, 1, 0));
  }

  @Test
  @Rule("JS-75")
  void a_child_that_cannot_be_read_stops_the_pass() {
    var set = new JobSetFixture(spec(job("w", 2))).settle();
    var child = set.jobs.get("a-w-0");

    set.put(child, j -> j.restartAttempt(OptionalInt.empty()));
    assertThatThrownBy(set::step).hasMessage("job a-w-0: label restart-attempt is not a number");

    set.put(child, j -> j.jobIndex(OptionalInt.of(2))); // one too many
    assertThatThrownBy(set::step).hasMessage("job a-w-0: labels name no Job of this JobSet");
    set.put(child, j -> j.jobIndex(OptionalInt.empty()));
    assertThatThrownBy(set::step).hasMessage("job a-w-0: labels name no Job of this JobSet");
    set.put(child, j -> j.replicatedJob("nobody"));
    assertThatThrownBy(set::step).hasMessage("job a-w-0: labels name no Job of this JobSet");

    set.gates = new JobSetGates(true, false, true);
    assertThat(set.step().effects()).isEmpty();
    set.gates = JobSetGates.ALL;
    set.put(child, j -> j.jobRestartAttempt(OptionalInt.empty()));
    assertThat(set.step().effects()).isEmpty();
  }

  @Test
  @Rule({"JS-75", "JS-113", "JS-140"})
  void only_the_newest_generation_counts() {
    var set = new JobSetFixture(spec(job("w", 2))).settle();
    set.status = set.status.withRestarts(1, 0);
    var old = set.jobs.get("a-w-0");
    var fresh = set.jobs.get("a-w-1");
    set.put(fresh, j -> j.restartAttempt(OptionalInt.of(1)));
    var jobs = List.copyOf(set.jobs.values());

    assertThat(JobSetPlan.generation(set.spec, set.status, set.gates, jobs))
        .extracting(ChildJob::name)
        .containsExactly("a-w-1");
    assertThat(set.step().effects()).contains(new Effect.DeleteJob(old));
  }

  @Test
  @Rule({"JS-76", "JS-28e"})
  void missing_counts_of_single_jobs_are_zeros() {
    var one = rule(FailureAction.RESTART_JOB_AND_IGNORE_MAX_RESTARTS);
    var set = new JobSetFixture(failing(spec(job("w", 3)), 0, Strategy.RECREATE, one)).settle();
    set.fail("a-w-1");

    set.settle();

    var counts = set.status.replicatedJobs().getFirst();
    assertThat(counts.jobRestarts()).containsExactly(0, 1, 0);
    assertThat(counts.jobRestartsCountTowardsMax()).isEmpty();
    set.fail("a-w-1");
    assertThat(set.settle().status.replicatedJobs().getFirst().jobRestarts())
        .containsExactly(0, 2, 0);
    assertThat(set.status.recreations()).isEqualTo(2);
    assertThat(set.status.withRestarts(3, 0).recreations()).isEqualTo(5);
  }

  @Test
  @Rule({"JS-78", "JS-74"})
  void a_job_that_is_being_deleted_is_not_deleted_again() {
    var set = new JobSetFixture(spec(job("w", 2))).settle();
    var going = set.jobs.get("a-w-0");
    set.put(going, j -> j.deleting(true));
    set.fail("a-w-1");
    set.step();

    var plan = set.step();

    assertThat(set.status.finished()).isTrue();
    assertThat(plan.effects()).isEmpty();
  }

  @Test
  @Rule({"JS-74", "JS-85"})
  void a_failed_job_is_looked_at_before_a_met_success_policy() {
    var any = new JobSetSpec.SuccessPolicy(JobSetSpec.Operator.ANY, List.of());
    var base = failing(spec(job("w", 2)), 0, Strategy.RECREATE);
    var set = new JobSetFixture(with(base, base.jobs(), any, base.startOrder(), false)).settle();
    set.complete("a-w-0");
    set.fail("a-w-1");

    set.step();

    assertThat(set.status.terminalState()).isEqualTo("Failed");
  }

  @Test
  @Rule({"AS-8", "JS-85", "JS-28d"})
  void only_targets_count_for_success_but_any_failure_counts() {
    var all = new JobSetSpec.SuccessPolicy(JobSetSpec.Operator.ALL, List.of("y"));
    var base = spec(job("x", 3), job("y", 1));
    var set = new JobSetFixture(with(base, base.jobs(), all, base.startOrder(), false)).settle();
    set.complete("a-x-0");
    assertThat(set.settle().status.finished()).isFalse();
    var failing = new JobSetFixture(set.spec).settle();

    set.complete("a-y-0");
    failing.fail("a-x-1");

    assertThat(set.settle().status.terminalState()).isEqualTo("Completed");
    assertThat(failing.settle().status.terminalState()).isEqualTo("Failed");
  }

  @Test
  @Rule("AS-15")
  void a_deleted_child_is_made_again_in_the_same_generation() {
    var set = new JobSetFixture(spec(job("w", 2))).settle();
    set.jobs.remove("a-w-1");

    set.settle();

    assertThat(set.jobs.get("a-w-1").restartAttempt()).isEqualTo(OptionalInt.of(0));
    assertThat(set.status.restarts()).isZero();
  }

  @Test
  @Rule({"AS-17", "JS-88", "JS-28b", "JS-28c"})
  void without_restarts_the_first_failure_ends_it() {
    var set = new JobSetFixture(failing(spec(job("w", 1)), 0, Strategy.RECREATE)).settle();
    set.fail("a-w-0");

    set.settle();

    assertThat(set.status.condition(JobSetStatus.Type.FAILED).orElseThrow().message())
        .isEqualTo(
            "jobset failed due to reaching max number of restarts (first failed job: a-w-0)");
    assertThat(set.status.restarts()).isZero();
    assertThat(set.status.restartsCountTowardsMax()).isZero();
  }

  @Test
  @Rule({"AS-23", "JS-87"})
  void a_failure_no_rule_targets_takes_the_default_action() {
    var fail = rule(FailureAction.FAIL_JOB_SET, "y");
    var base = failing(spec(job("x", 1), job("y", 1)), 1, Strategy.RECREATE, fail);
    var set = new JobSetFixture(base).settle();
    set.fail("a-x-0");
    set.settle();
    assertThat(set.reason(JobSetStatus.Type.RESTARTING)).isEqualTo("DefaultFailurePolicy");

    set.fail("a-y-0");

    assertThat(set.settle().reason(JobSetStatus.Type.FAILED))
        .isEqualTo("FailJobSetFailurePolicyAction");
  }

  @Test
  @Rule({"JS-97", "JS-96"})
  void each_change_of_a_condition_is_one_event_of_its_kind() {
    var set = new JobSetFixture(failing(spec(job("w", 1)), 1, Strategy.RECREATE)).settle();
    set.fail("a-w-0");
    set.settle();
    set.ready("a-w-0");
    set.settle();
    set.settle();
    var first = " (first failed job: a-w-0)";
    var message = "applying RestartJobSet failure policy action" + first;
    assertThat(set.notes)
        .containsExactly(
            JobSetPlan.Note.warning("RestartJobSetFailurePolicyAction", message),
            JobSetPlan.Note.warning("DefaultFailurePolicy", message),
            new JobSetPlan.Note(false, "JobsReady", "all jobs are ready"));

    set.notes.clear();
    set.fail("a-w-0");
    set.settle();

    assertThat(set.notes)
        .extracting(JobSetPlan.Note::warning, JobSetPlan.Note::reason)
        .containsExactly(tuple(true, "ReachedMaxRestarts"), tuple(false, "JobSetFailed"));
  }

  @Test
  @Rule("JS-96")
  void the_time_of_a_condition_moves_with_its_status_only() {
    var type = JobSetStatus.Type.SUSPENDED;
    var later = NOW.plusSeconds(5);
    assertThat(JobSetStatus.EMPTY.with(type, false, "r", "m", NOW)).isEqualTo(JobSetStatus.EMPTY);
    var on = JobSetStatus.EMPTY.with(type, true, "r", "m", NOW);

    assertThat(on.with(type, true, "r", "m", later)).isEqualTo(on);
    var reworded = on.with(type, true, "r", "m2", later).condition(type).orElseThrow();
    assertThat(reworded.message()).isEqualTo("m2");
    assertThat(reworded.changedAt()).isEqualTo(NOW);
    var renamed = on.with(type, true, "r2", "m", later).condition(type).orElseThrow();
    assertThat(renamed.reason()).isEqualTo("r2");
    assertThat(on.with(type, false, "r", "m", later).condition(type).orElseThrow().changedAt())
        .isEqualTo(later);
  }

  @Test
  @Rule("JS-101")
  void claims_are_made_once() {
    var spec = built(spec(job("w", 1)), Optional.empty(), List.of("data", "logs"));
    var set = new JobSetFixture(spec);
    set.claims.add("logs");

    set.settle();

    assertThat(set.effects)
        .filteredOn(Effect.CreateClaim.class::isInstance)
        .containsExactly(new Effect.CreateClaim("data"));
  }

  @Test
  @Rule("JS-106")
  void only_indexed_jobs_of_equal_size_are_scaled_and_only_with_the_gate() {
    var even = sized("even", 3, OptionalInt.of(3), true);
    var odd = sized("odd", 3, OptionalInt.of(4), true);
    var queue = sized("queue", 3, OptionalInt.of(3), false);
    var set = new JobSetFixture(spec(even, odd, queue)).settle();
    List.copyOf(set.jobs.values()).forEach(child -> set.put(child, j -> j.size(2)));
    set.gates = new JobSetGates(true, true, false);
    assertThat(set.step().effects()).isEmpty();
    set.gates = JobSetGates.ALL;

    assertThat(set.step().effects())
        .extracting(effect -> ((Effect.ScaleJob) effect).job().name())
        .containsExactly("a-even-0");
  }

  private static JobSetSpec.ReplicatedJob sized(
      String name, int parallelism, OptionalInt completions, boolean indexed) {
    return new JobSetSpec.ReplicatedJob(
        name, "default", 1, parallelism, completions, indexed, List.of(), true);
  }

  @Test
  @Rule({"AS-28", "JS-81"})
  void a_suspended_set_keeps_its_order_when_it_resumes() {
    var ready = new JobSetSpec.Dependency("x", JobSetSpec.Until.READY);
    var set = new JobSetFixture(suspended(spec(job("x", 1), job("y", 1, ready)), true)).settle();
    assertThat(set.jobs.keySet()).containsExactly("a-x-0");
    assertThat(set.jobs.get("a-x-0").suspended()).isTrue();

    set.spec = suspended(set.spec, false);
    set.settle();
    assertThat(set.jobs.get("a-x-0").suspended()).isFalse();
    assertThat(set.jobs).hasSize(1);
    set.ready("a-x-0");

    assertThat(set.settle().jobs.keySet()).containsExactly("a-x-0", "a-y-0");
  }

  @Test
  @Rule("JS-81")
  void ready_means_ready_or_ended_and_an_unknown_dependency_never_holds() {
    var ready = new JobSetSpec.Dependency("x", JobSetSpec.Until.READY);
    var set = new JobSetFixture(spec(job("x", 2), job("y", 1, ready))).settle();
    set.ready("a-x-0");
    set.complete("a-x-1");
    assertThat(set.settle().jobs).containsKey("a-y-0");

    var unknown = new JobSetSpec.Dependency("nobody", JobSetSpec.Until.READY);
    var stuck = new JobSetFixture(spec(job("x", 1), job("y", 1, unknown))).settle();
    assertThat(stuck.jobs.keySet()).containsExactly("a-x-0");
  }

  @Test
  @Rule({"AS-30", "JS-82", "JS-92", "JS-93"})
  void in_order_a_suspended_set_has_all_jobs_and_resumes_one_by_one() {
    var set = new JobSetFixture(suspended(inOrder(spec(job("x", 1), job("y", 1))), true)).settle();
    assertThat(set.jobs.values()).hasSize(2).allMatch(ChildJob::suspended);
    assertThat(set.status.condition(JobSetStatus.Type.STARTUP_IN_PROGRESS)).isEmpty();

    set.spec = suspended(set.spec, false);
    set.settle();
    assertThat(set.jobs.get("a-x-0").suspended()).isFalse();
    assertThat(set.jobs.get("a-y-0").suspended()).isTrue();
    assertThat(set.reason(JobSetStatus.Type.STARTUP_IN_PROGRESS))
        .isEqualTo("InOrderStartupPolicyInProgress");
    set.ready("a-x-0");
    set.settle();
    assertThat(set.jobs.get("a-y-0").suspended()).isFalse();
    set.ready("a-y-0");
    set.settle();

    var done = set.status.condition(JobSetStatus.Type.STARTUP_COMPLETED).orElseThrow();
    assertThat(done.reason()).isEqualTo("InOrderStartupPolicyCompleted");
    assertThat(done.message()).isEqualTo("in order startup policy has completed");
    assertThat(set.status.is(JobSetStatus.Type.SUSPENDED)).isFalse();
  }

  @Test
  @Rule({"JS-80", "AS-24"})
  void recreate_makes_each_job_as_soon_as_its_own_predecessor_is_gone() {
    for (var strategy : List.of(Strategy.RECREATE, Strategy.BLOCKING_RECREATE)) {
      var set = new JobSetFixture(failing(spec(job("w", 2)), 1, strategy)).settle();
      set.fail("a-w-0");
      set.step();
      var lingering = set.jobs.get("a-w-1");
      set.put(lingering, j -> j.deleting(true));
      set.jobs.remove("a-w-0");

      set.step();

      assertThat(set.jobs.containsKey("a-w-0"))
          .as("%s", strategy)
          .isEqualTo(strategy == Strategy.RECREATE);
    }
  }
}
