package dev.regroup.rules.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.job.JobPlan.Effect;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What a Job counts, which pods it makes and deletes, and what its status says. */
class JobCountTest {

  private static final OptionalInt NONE = OptionalInt.empty();

  private static Specs nonIndexed(int parallelism, int completions) {
    return Specs.of(JobFixture.indexed(1))
        .size(parallelism, OptionalInt.of(completions), JobSpec.Completion.NON_INDEXED);
  }

  private static JobPlan plan(JobFixture job, JobPlan.Sight sight) {
    return JobPlan.plan(
        job.spec, job.status, List.copyOf(job.pods.values()), job.backOff, sight, job.now);
  }

  private static <T extends Effect> List<T> of(JobPlan plan, Class<T> kind) {
    return plan.effects().stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  @Test
  @Rule({"BS-2", "JB-46"})
  void one_pod_that_succeeds_completes_the_job() {
    var job = new JobFixture(nonIndexed(1, 1).spec()).settle();
    assertThat(job.active()).isEqualTo(1);
    assertThat(job.status.startTime()).isEqualTo(JobFixture.NOW);
    job.now = JobFixture.NOW.plusSeconds(5);
    job.succeed(job.of(-1));

    job.settle();

    assertThat(job.status.startTime()).isEqualTo(JobFixture.NOW);
    assertThat(job.status.succeeded()).isEqualTo(1);
    assertThat(job.status.completionTime()).isEqualTo(job.now);
    assertThat(job.status.is(JobStatus.Type.COMPLETE)).isTrue();
    assertThat(job.pods.values()).noneMatch(JobPod::tracked);
  }

  @Test
  @Rule("BS-4")
  void keeps_as_many_pods_as_completions_are_left() {
    var job = new JobFixture(nonIndexed(5, 7).spec()).settle();
    job.succeed(job.of(-1));
    job.succeed(job.of(-1));
    assertThat(job.settle().active()).isEqualTo(5);

    job.succeed(job.of(-1));
    job.succeed(job.of(-1));
    job.succeed(job.of(-1));

    assertThat(job.settle().active()).isEqualTo(2);
  }

  @Test
  @Rule("JB-42")
  void a_finished_job_is_left_alone() {
    var job = new JobFixture(nonIndexed(1, 1).spec()).settle();
    job.succeed(job.of(-1));
    job.settle();

    job.spec = nonIndexed(3, 3).spec();

    assertThat(job.step().effects()).isEmpty();
  }

  @Test
  @Rule("JB-44")
  void a_failed_pod_counts_only_with_an_index_in_range() {
    var job = new JobFixture(JobFixture.indexed(2)).settle();
    for (int index : List.of(2, 7, -1)) { // the first is just out of range
      var uid = job.add(index, 0, 0);
      job.pods.put(uid, job.change(job.pods.get(uid)).phase(JobPod.Phase.FAILED).pod());
    }

    job.settle();

    assertThat(job.status.failed()).isZero();
    assertThat(job.activeIndexes()).containsExactly(0, 1);
    assertThat(job.pods.values()).filteredOn(JobPod::tracked).hasSize(2);
  }

  @Test
  @Rule("JB-45")
  void counters_are_what_is_written_plus_new_plus_not_yet_counted() {
    var status = JobStatus.EMPTY.withCounts(1, 1, List.of("s"), List.of("f"));
    var spec = nonIndexed(1, 9).limits(3, NONE, NONE);
    var job = new JobFixture(spec.spec());
    job.status = status;
    var one = job.add(-1, 0, 0);
    var other = job.add(-1, 0, 0);
    job.fail(job.pods.get(one), 1);
    job.succeed(job.pods.get(other));

    var enough = new SeenPods(spec.spec(), status, List.copyOf(job.pods.values()));

    assertThat(enough.failed).isEqualTo(3);
    assertThat(enough.succeeded).isEqualTo(3);
    assertThat(plan(job, JobPlan.Sight.CLEAR).status().is(JobStatus.Type.FAILURE_TARGET)).isFalse();
    job.spec = spec.limits(2, NONE, NONE).spec();
    assertThat(plan(job, JobPlan.Sight.CLEAR).status().is(JobStatus.Type.FAILURE_TARGET)).isTrue();
  }

  @Test
  @Rule("JB-48")
  void a_decision_deletes_who_still_runs_and_finishes_only_with_clear_sight() {
    var job = new JobFixture(Specs.of(JobFixture.indexed(3)).limits(0, NONE, NONE).spec()).settle();
    job.ready(job.of(1));
    job.fail(job.of(0), 1);

    var blurred = plan(job, JobPlan.Sight.BLURRED);
    assertThat(of(blurred, Effect.DeletePods.class)).isEmpty();
    assertThat(blurred.status().is(JobStatus.Type.FAILED)).isFalse();
    assertThat(blurred.status().failed()).isEqualTo(1);

    var clear = plan(job, JobPlan.Sight.CLEAR);
    var deleted = of(clear, Effect.DeletePods.class).getFirst();
    assertThat(deleted.finalizer()).isEqualTo(JobPlan.Finalizer.KEEP);
    assertThat(deleted.pods()).hasSize(2);
    assertThat(clear.status().active()).isZero();
    assertThat(clear.status().ready()).isZero();
    assertThat(clear.status().terminating()).isEqualTo(2);
  }

  @Test
  @Rule("JB-48")
  void a_big_job_is_deleted_in_portions_and_finishes_after_the_last() {
    var job = new JobFixture(nonIndexed(700, 700).limits(0, NONE, NONE).spec()).settle();
    List.copyOf(job.pods.values()).forEach(job::ready);
    job.fail(job.of(-1), 1);

    var first = job.step();

    assertThat(of(first, Effect.DeletePods.class).getFirst().pods()).hasSize(500);
    assertThat(first.status().active()).isEqualTo(199);
    assertThat(first.status().ready()).isEqualTo(199);
    assertThat(first.status().failed()).isEqualTo(1);
    job.pods.values().removeIf(JobPod::leaving);
    job.settle();
    job.pods.values().removeIf(JobPod::leaving);
    job.settle();
    assertThat(job.status.is(JobStatus.Type.FAILED)).isTrue();
  }

  @Test
  @Rule("JB-121")
  void pods_that_ran_when_the_job_failed_are_counted_with_it() {
    var job = new JobFixture(nonIndexed(3, 3).limits(0, NONE, NONE).spec()).settle();
    job.fail(job.of(-1), 1);

    var plan = job.step();

    var noted = of(plan, Effect.WriteStatus.class).get(1).status();
    assertThat(noted.uncountedFailed()).containsExactly("u0", "u1", "u2");
    assertThat(job.status.terminating()).isEqualTo(2);
    assertThat(job.status.failed()).isEqualTo(3);
    assertThat(job.status.is(JobStatus.Type.FAILED)).isFalse();
    job.pods.values().removeIf(JobPod::leaving);
    job.settle();
    assertThat(job.status.is(JobStatus.Type.FAILED)).isTrue();
    assertThat(job.status.failed()).isEqualTo(3);
  }

  @Test
  @Rule({"BS-28", "JB-51", "JB-90", "JB-96"})
  void a_suspended_job_has_no_pods_and_counts_none_of_them() {
    var base = nonIndexed(2, 2);
    var asleep = base.wish(JobSpec.Wish.SUSPEND, OptionalLong.empty()).spec();
    var job = new JobFixture(asleep).settle();
    assertThat(job.pods).isEmpty();
    assertThat(job.status.startTime()).isNull();

    job.spec = base.spec();
    job.settle();
    assertThat(job.active()).isEqualTo(2);
    assertThat(job.status.startTime()).isEqualTo(JobFixture.NOW);
    assertThat(job.status.condition(JobStatus.Type.SUSPENDED).orElseThrow().reason())
        .isEqualTo("JobResumed");
    List.copyOf(job.pods.values()).forEach(job::ready);
    job.settle();

    job.spec = asleep;
    var plan = job.step();
    assertThat(of(plan, Effect.DeletePods.class).getFirst().finalizer())
        .isEqualTo(JobPlan.Finalizer.UNTRACK);
    assertThat(plan.status().active()).isZero();
    assertThat(plan.status().ready()).isZero();
    assertThat(plan.status().terminating()).isEqualTo(2);
    assertThat(job.settle().status.failed()).isZero();
    assertThat(job.notes)
        .containsExactly(
            new JobPlan.Note(false, "Suspended", "Job suspended"),
            new JobPlan.Note(false, "Resumed", "Job resumed"),
            new JobPlan.Note(false, "Suspended", "Job suspended"));
  }

  @Test
  @Rule("JB-53")
  void deletes_the_least_useful_pods_first() {
    var job = new JobFixture(nonIndexed(8, 20).spec()).settle();
    var pods = new ArrayList<>(job.pods.values());
    var newest = pods.get(7);
    var restless = with(job, pods.get(5), JobPod.Phase.RUNNING, false, 3);
    var idle = with(job, pods.get(4), JobPod.Phase.RUNNING, false, 0);
    var unknown = with(job, pods.get(6), JobPod.Phase.UNKNOWN, true, 0);
    job.now = job.now.plusSeconds(60);
    var fresh = with(job, pods.get(2), JobPod.Phase.RUNNING, true, 0);
    job.now = job.now.minusSeconds(30);
    var old = with(job, pods.get(3), JobPod.Phase.RUNNING, true, 0);
    var all = new ArrayList<>(List.of(old, idle, pods.get(0), fresh, unknown, restless, newest));

    all.sort(Manning.LEAST_USEFUL_FIRST);

    assertThat(all).containsExactly(newest, pods.get(0), unknown, restless, idle, fresh, old);
  }

  @Test
  @Rule("JB-53")
  void the_container_with_the_most_restarts_decides_then_the_sidecar() {
    var job = new JobFixture(nonIndexed(3, 9).spec()).settle();
    var pods = List.copyOf(job.pods.values());
    var often = job.change(pods.get(0)).restarts(new JobPod.Restarts(3, 3, 0)).pod();
    var many = job.change(pods.get(1)).restarts(new JobPod.Restarts(6, 2, 1)).pod();
    var some = job.change(pods.get(2)).restarts(new JobPod.Restarts(9, 2, 0)).pod();
    var all = new ArrayList<>(List.of(some, many, often));

    all.sort(Manning.LEAST_USEFUL_FIRST);

    assertThat(all).containsExactly(often, many, some);
  }

  private static JobPod with(
      JobFixture job, JobPod pod, JobPod.Phase phase, boolean ready, int restarts) {
    return job.change(pod).phase(phase).ready(ready).restarts(restarts).pod();
  }

  @Test
  @Rule("JB-53")
  void misplaced_pods_go_before_anything_is_made() {
    var job = new JobFixture(JobFixture.indexed(2));
    job.add(0, 0, 0);
    job.add(2, 0, 0);
    job.add(-1, 0, 0);

    var plan = job.step();

    assertThat(of(plan, Effect.DeletePods.class).getFirst().pods())
        .extracting(JobPod::uid)
        .containsExactlyInAnyOrder("u1", "u2");
    assertThat(of(plan, Effect.CreatePods.class)).isEmpty();
    assertThat(plan.status().active()).isEqualTo(1);
    assertThat(job.settle().activeIndexes()).containsExactly(0, 1);
  }

  @Test
  @Rule("JB-54")
  void makes_at_most_500_pods_at_once() {
    for (var spec : List.of(JobFixture.indexed(1200), nonIndexed(1200, 1200).spec())) {
      var job = new JobFixture(spec);

      var plan = job.step();

      assertThat(of(plan, Effect.CreatePods.class).getFirst().pods()).hasSize(500);
      assertThat(plan.status().active()).isEqualTo(500);
      assertThat(job.settle().active()).isEqualTo(1200);
    }
  }

  @Test
  @Rule("JB-54")
  void with_policy_failed_a_leaving_pod_keeps_its_seat() {
    var spec =
        nonIndexed(3, 9)
            .behaviour(JobSpec.Replace.FAILED, JobSpec.PodRestart.NEVER, JobSpec.Kin.ALONE)
            .spec();
    var job = new JobFixture(spec).settle();
    var leaving = job.of(-1);
    job.pods.put(leaving.uid(), job.change(leaving).terminating(true).pod());

    assertThat(job.settle().active()).isEqualTo(2);
    assertThat(job.status.terminating()).isEqualTo(1);
    assertThat(job.status.failed()).isZero();
  }

  @Test
  @Rule("JB-58")
  void a_failed_pod_keeps_its_finalizer_until_its_replacement_exists() {
    var spec =
        Specs.of(JobFixture.indexed(1)).limits(Integer.MAX_VALUE, OptionalInt.of(5), NONE).spec();
    var job = new JobFixture(spec).settle();
    var failed = job.of(0);
    job.fail(failed, 1);
    job.settle();
    assertThat(job.pods.get(failed.uid()).tracked()).isTrue();

    job.now = job.now.plusSeconds(10);
    job.settle();

    assertThat(job.pods.get(failed.uid()).tracked()).isFalse();
    assertThat(job.of(0).failureCount()).isEqualTo(1);
    assertThat(job.status.failed()).isEqualTo(1);
  }

  @Test
  @Rule("JB-58")
  void of_two_failed_pods_the_one_with_more_failures_is_carried_over() {
    var spec =
        Specs.of(JobFixture.indexed(1)).limits(Integer.MAX_VALUE, OptionalInt.of(9), NONE).spec();
    for (var counts : List.of(new int[] {0, 1, 2, 0}, new int[] {2, 0, 0, 1})) {
      var job = new JobFixture(spec);
      var one = job.add(0, counts[0], counts[1]);
      var other = job.add(0, counts[2], counts[3]);
      job.fail(job.pods.get(one), 1);
      job.fail(job.pods.get(other), 1);
      job.now = job.now.plusSeconds(700);

      job.settle();

      assertThat(job.of(0).failureCount()).isEqualTo(3);
      assertThat(job.of(0).ignoredFailureCount()).isZero();
    }
  }

  @Test
  @Rule("JB-60")
  void status_says_who_is_active_ready_and_leaving() {
    var spec =
        Specs.of(JobFixture.indexed(4))
            .behaviour(JobSpec.Replace.FAILED, JobSpec.PodRestart.NEVER, JobSpec.Kin.ALONE)
            .spec();
    var job = new JobFixture(spec).settle();
    assertThat(job.status.failedIndexes()).isEmpty();
    job.ready(job.of(0));
    job.ready(job.of(1));
    var leaving = job.of(2);
    job.pods.put(leaving.uid(), job.change(leaving).terminating(true).pod());

    var plan = job.step();

    assertThat(plan.effects()).containsExactly(new Effect.WriteStatus(job.status));
    assertThat(job.status.active()).isEqualTo(3);
    assertThat(job.status.ready()).isEqualTo(2);
    assertThat(job.status.terminating()).isEqualTo(1);
    assertThat(job.step().effects()).isEmpty();
    var perIndex = Specs.of(spec).limits(6, OptionalInt.of(1), NONE).spec();
    assertThat(new JobFixture(perIndex).settle().status.failedIndexes())
        .isEqualTo(Optional.of(IndexSet.EMPTY));
  }

  @Test
  @Rule("JB-76")
  void a_pod_that_restarts_in_place_stays_active() {
    var spec =
        Specs.of(JobFixture.indexed(1))
            .behaviour(
                JobSpec.Replace.FAILED, JobSpec.PodRestart.NEVER, JobSpec.Kin.IN_PLACE_JOBSET)
            .spec();
    var job = new JobFixture(spec).settle();
    job.ready(job.of(0));
    job.settle();
    var pod = job.of(0);

    job.pods.put(pod.uid(), with(job, pod, JobPod.Phase.PENDING, false, 40));
    job.settle();

    assertThat(job.status.active()).isEqualTo(1);
    assertThat(job.status.ready()).isZero();
    assertThat(job.status.failed()).isZero();
    assertThat(job.pods).hasSize(1);
  }

  @Test
  @Rule("JB-95")
  void a_false_condition_is_never_new_and_times_move_only_with_the_status() {
    var never = JobStatus.EMPTY.with(JobStatus.Type.SUSPENDED, false, "r", "m", JobFixture.NOW);
    assertThat(never).isEqualTo(JobStatus.EMPTY);

    var on = JobStatus.EMPTY.with(JobStatus.Type.SUSPENDED, true, "r", "m", JobFixture.NOW);
    var later = JobFixture.NOW.plusSeconds(9);
    assertThat(on.with(JobStatus.Type.SUSPENDED, true, "r", "m", later)).isEqualTo(on);
    var other = on.with(JobStatus.Type.SUSPENDED, true, "r2", "m", later);
    assertThat(other.condition(JobStatus.Type.SUSPENDED).orElseThrow().changedAt())
        .isEqualTo(JobFixture.NOW);
    assertThat(on.with(JobStatus.Type.SUSPENDED, true, "r", "m2", later).conditions())
        .extracting(JobStatus.Condition::message)
        .containsExactly("m2");
    var off = on.with(JobStatus.Type.SUSPENDED, false, "r", "m", later);
    assertThat(off.condition(JobStatus.Type.SUSPENDED).orElseThrow().changedAt()).isEqualTo(later);
    assertThat(off.conditions()).hasSize(1);
    assertThat(off.with(JobStatus.Type.FAILED, true, "x", "y", later).conditions()).hasSize(2);
  }
}
