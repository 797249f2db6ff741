package dev.regroup.rules.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** When a Job gives up, and how long it waits before it makes another pod. */
class JobFailureTest {
  private static final OptionalInt NONE = OptionalInt.empty();

  @Test
  void fails_in_two_stages_and_counts_who_still_ran_bs11_jb49_jb50() {
    var spec = Specs.of(JobFixture.indexed(2)).limits(0, NONE, NONE).spec();
    var job = new JobFixture(spec).settle();
    job.fail(job.of(0), 1);

    var first = job.step().effects().getFirst();
    assertThat(((JobPlan.Effect.WriteStatus) first).status().is(JobStatus.Type.FAILURE_TARGET))
        .isTrue();
    job.settle();
    assertThat(job.status.is(JobStatus.Type.FAILED)).isFalse();
    assertThat(job.status.terminating()).isEqualTo(1);
    assertThat(job.status.failed()).isEqualTo(2);

    job.pods.values().removeIf(JobPod::leaving);
    job.settle();
    assertThat(job.status.is(JobStatus.Type.FAILED)).isTrue();
    assertThat(job.status.failed()).isEqualTo(2);
    assertThat(job.notes)
        .contains(
            new JobPlan.Note(
                true, "BackoffLimitExceeded", "Job has reached the specified backoff limit"));
  }

  @Test
  void fails_at_the_seventh_failure_bs12_jb47() {
    var job =
        new JobFixture(
                Specs.of(JobFixture.indexed(1))
                    .size(1, OptionalInt.of(1), JobSpec.Completion.INDEXED)
                    .spec())
            .settle();
    for (int i = 1; i <= 7; i++) {
      assertThat(job.status.finished()).as("before failure %d", i).isFalse();
      job.fail(job.of(0), 1);
      job.now = job.now.plusSeconds(700);
      job.settle();
    }
    assertThat(job.status.is(JobStatus.Type.FAILED)).isTrue();
  }

  @Test
  void restarts_in_place_count_with_policy_on_failure_bs13_jb47() {
    var spec =
        Specs.of(JobFixture.indexed(2))
            .limits(2, NONE, NONE)
            .behaviour(
                JobSpec.Replace.TERMINATING_OR_FAILED,
                JobSpec.PodRestart.ON_FAILURE,
                JobSpec.Kin.ALONE)
            .spec();
    var job = new JobFixture(spec).settle();
    var pod = job.of(0);
    job.pods.put(pod.uid(), job.change(pod).phase(JobPod.Phase.RUNNING).restarts(1).pod());
    job.settle();
    assertThat(job.status.is(JobStatus.Type.FAILURE_TARGET)).isFalse();

    job.pods.put(pod.uid(), job.change(pod).phase(JobPod.Phase.RUNNING).restarts(2).pod());
    job.settle();
    assertThat(job.status.is(JobStatus.Type.FAILURE_TARGET)).isTrue();
  }

  @Test
  void waits_10_s_then_20_s_before_replacements_bs14_jb80_jb83() {
    var job = new JobFixture(JobFixture.indexed(1)).settle();
    job.fail(job.of(0), 1);
    job.settle();
    assertThat(job.active()).isZero();
    assertThat(job.wakeUp).isEqualTo(JobFixture.NOW.plusSeconds(10));

    job.now = JobFixture.NOW.plusSeconds(10);
    assertThat(job.settle().active()).isEqualTo(1);
    job.fail(job.of(0), 1);
    job.settle();
    assertThat(job.wakeUp).isEqualTo(job.now.plusSeconds(20));
    assertThat(JobBackOff.delay(7)).isEqualTo(Duration.ofMinutes(10));
    assertThat(JobBackOff.delay(60)).isEqualTo(Duration.ofMinutes(10));
  }

  @Test
  void a_success_forgets_failures_before_it_jb80() {
    var job = new JobFixture(JobFixture.indexed(2)).settle();
    job.fail(job.of(0), 1);
    job.settle();
    job.now = job.now.plusSeconds(5);
    job.succeed(job.of(1));
    job.settle();

    assertThat(job.active()).isEqualTo(1);
  }

  @Test
  void replaces_a_worker_of_an_in_place_group_without_delay_bs42_jb84() {
    var spec =
        Specs.of(JobFixture.indexed(1))
            .limits(Integer.MAX_VALUE, NONE, NONE)
            .behaviour(
                JobSpec.Replace.FAILED, JobSpec.PodRestart.NEVER, JobSpec.Kin.IN_PLACE_JOBSET)
            .spec();
    var job = new JobFixture(spec).settle();
    for (int i = 0; i < 20; i++) {
      var pod = job.of(0);
      job.pods.put(
          pod.uid(),
          job.change(pod).phase(JobPod.Phase.FAILED).exit("main", 1).workerStarted().pod());
      assertThat(job.settle().active()).isEqualTo(1);
    }
    job.fail(job.of(0), 1); // never started: an ordinary failure
    job.settle();
    assertThat(job.active()).isZero();
    assertThat(job.wakeUp).isEqualTo(job.now.plusSeconds(10));
  }

  @Test
  void policy_failed_waits_until_a_pod_has_ended_bs25_jb75() {
    var base = Specs.of(JobFixture.indexed(1));
    var eager = new JobFixture(base.spec()).settle();
    var pod = eager.of(0);
    eager.pods.put(pod.uid(), eager.change(pod).terminating(true).pod());
    eager.settle();
    eager.now = eager.now.plusSeconds(10);
    eager.settle();
    assertThat(eager.active()).isEqualTo(1);
    assertThat(eager.status.failed()).isEqualTo(1);
    assertThat(eager.status.terminating()).isEqualTo(1);

    var patient =
        new JobFixture(
                base.behaviour(JobSpec.Replace.FAILED, JobSpec.PodRestart.NEVER, JobSpec.Kin.ALONE)
                    .spec())
            .settle();
    var other = patient.of(0);
    patient.pods.put(other.uid(), patient.change(other).terminating(true).pod());
    patient.now = patient.now.plusSeconds(10);
    patient.settle();
    assertThat(patient.active()).isZero();
    assertThat(patient.status.failed()).isZero();
  }

  @Test
  void an_index_that_waits_for_its_delay_holds_its_place_jb81() {
    var spec =
        Specs.of(JobFixture.indexed(1))
            .size(1, OptionalInt.of(3), JobSpec.Completion.INDEXED)
            .limits(6, OptionalInt.of(2), OptionalInt.empty())
            .spec();
    var job = new JobFixture(spec).settle();
    job.fail(job.of(0), 1);

    job.settle();
    assertThat(job.activeIndexes()).isEmpty();
    assertThat(job.wakeUp).isEqualTo(JobFixture.NOW.plusSeconds(10));
    job.now = job.wakeUp;
    job.settle();

    assertThat(job.activeIndexes()).containsExactly(0);
  }

  @Test
  void any_success_ends_the_wait_also_one_as_old_as_the_last_jb80() {
    var job = new JobFixture(JobFixture.indexed(4)).settle();
    job.succeed(job.of(0));
    job.settle();
    job.fail(job.of(1), 1);
    job.settle();
    assertThat(job.activeIndexes()).containsExactly(2, 3);

    job.succeed(job.of(2)); // at the same time as the first
    job.settle();

    assertThat(job.activeIndexes()).containsExactly(1, 3);
  }

  @Test
  void who_still_runs_when_the_job_fails_is_judged_by_the_policy_jb50_jb72() {
    var ignore =
        new FailurePolicy.Rule(
            FailurePolicy.Action.IGNORE,
            null,
            null,
            List.of(),
            List.of(new JobPod.Condition("DisruptionTarget", "True")));
    var fail =
        new FailurePolicy.Rule(
            FailurePolicy.Action.FAIL_JOB, null, FailurePolicy.Operator.IN, List.of(3), List.of());
    var spec =
        Specs.of(JobFixture.indexed(3))
            .policies(new FailurePolicy(List.of(ignore, fail)), List.of())
            .spec();
    var job = new JobFixture(spec).settle();
    var disrupted = job.change(job.of(0)).condition("DisruptionTarget").pod();
    job.pods.put(disrupted.uid(), disrupted);
    job.fail(job.of(2), 3);

    job.settle();

    assertThat(job.status.failed()).isEqualTo(2);
  }
}
