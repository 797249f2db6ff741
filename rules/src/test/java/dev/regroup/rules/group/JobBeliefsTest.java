package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.job.FailurePolicy;
import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.job.JobStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a Job stands: by its status for good, else by what its own plan will say, for a while. */
class JobBeliefsTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final int FATAL = 3;
  private static final JobPod.Phase RUNS = JobPod.Phase.RUNNING;

  /** One index; code 3 of the worker fails the Job. */
  private static JobSpec spec(JobSpec.Wish wish) {
    var rule =
        new FailurePolicy.Rule(
            FailurePolicy.Action.FAIL_JOB,
            null,
            FailurePolicy.Operator.IN,
            List.of(FATAL),
            List.of());
    return new JobSpec(
        "n",
        "a-w-0",
        1,
        OptionalInt.of(1),
        JobSpec.Completion.INDEXED,
        Integer.MAX_VALUE,
        OptionalInt.empty(),
        OptionalInt.empty(),
        Optional.of(new FailurePolicy(List.of(rule))),
        List.of(),
        JobSpec.Replace.FAILED,
        OptionalLong.empty(),
        wish,
        JobSpec.PodRestart.NEVER,
        JobSpec.Kin.ALONE);
  }

  private static final JobSpec SPEC = spec(JobSpec.Wish.RUN);

  private static JobPod member(JobPod.Phase phase, int code) {
    return new JobPod(
        "u",
        "p",
        OptionalInt.of(0),
        phase,
        false,
        true,
        true,
        null,
        true,
        JobPod.Restarts.NONE,
        NOW,
        NOW,
        List.of(new JobPod.Container("worker", OptionalInt.of(code))),
        List.of(),
        0,
        0,
        true);
  }

  /** A pod whose only container, in this role, has ended with that meaning. */
  private static GroupPod pod(GroupPod.End end, GroupPod.Role role, GroupPod.Meaning meaning) {
    var container =
        new GroupPod.Container(
            "worker",
            role,
            0,
            false,
            Optional.of(new GroupPod.Ended(FATAL, meaning, false, "", NOW)),
            Optional.empty(),
            "");
    return new GroupPod(
        "a",
        AttemptReport.NONE,
        GroupPod.Agent.NODE,
        end,
        false,
        null,
        false,
        Optional.empty(),
        List.of(container));
  }

  private static final GroupPod DOOMED =
      pod(GroupPod.End.NONE, GroupPod.Role.WORKER, GroupPod.Meaning.FAILS_POD);

  private static JobStatus status(JobStatus.Type type) {
    var condition = new JobStatus.Condition(type.wireName(), true, "", "", null, NOW);
    var empty = JobStatus.EMPTY;
    return new JobStatus(
        0,
        0,
        0,
        0,
        0,
        empty.completedIndexes(),
        Optional.empty(),
        null,
        null,
        List.of(condition),
        List.of(),
        List.of());
  }

  @ParameterizedTest
  @Rule("JS-160b")
  @CsvSource({
    "FAILURE_TARGET, FAILING",
    "FAILED, FAILING",
    "SUCCESS_CRITERIA_MET, LEAVING",
    "COMPLETE, LEAVING",
    "SUSPENDED, RUNNING",
  })
  void a_jobs_own_word_holds(JobStatus.Type type, JobState state) {
    var believed = JobBeliefs.NONE.suspect("j", SPEC, DOOMED, member(RUNS, FATAL), NOW);

    assertThat(JobBeliefs.NONE.of("j", status(type))).isEqualTo(state);
    assertThat(believed.of("j", status(type)))
        .isEqualTo(state == JobState.RUNNING ? JobState.FAILING : state);
    assertThat(believed.of("other", JobStatus.EMPTY)).isEqualTo(JobState.RUNNING);
  }

  // ---- pods that are about to fail --------------------------------------------------------------

  @ParameterizedTest
  @Rule({"JS-160b", "AS-56"})
  @CsvSource({
    "NONE, WORKER, FAILS_POD, true",
    "NONE, WORKER, RESTARTS_ALL, false",
    "NONE, WORKER, NOTHING, false",
    "NONE, AGENT, FAILS_POD, false",
    "NONE, HELPER, FAILS_POD, false",
    "SUCCEEDED, WORKER, FAILS_POD, false",
    "FAILED, HELPER, NOTHING, true",
  })
  void a_pod_whose_worker_ended_for_good_will_fail(
      GroupPod.End end, GroupPod.Role role, GroupPod.Meaning meaning, boolean fails) {
    var pod = pod(end, role, meaning);

    assertThat(pod.doomed()).isEqualTo(fails);
    assertThat(pod.foreseen(member(RUNS, 1)).phase()).isEqualTo(fails ? JobPod.Phase.FAILED : RUNS);
  }

  @Test
  @Rule({"JS-160b", "AS-56"})
  void a_doomed_pod_fails_its_job_by_the_policy_alone() {
    var believed = JobBeliefs.NONE.suspect("j", SPEC, DOOMED, member(RUNS, FATAL), NOW);

    assertThat(believed.of("j", JobStatus.EMPTY)).isEqualTo(JobState.FAILING);
    assertThat(believed.recheck()).contains(NOW.plusSeconds(10));
  }

  @Test
  @Rule("JS-160b")
  void another_code_or_a_pod_that_lives_says_nothing() {
    var lives = pod(GroupPod.End.NONE, GroupPod.Role.WORKER, GroupPod.Meaning.NOTHING);

    assertThat(JobBeliefs.NONE.suspect("j", SPEC, DOOMED, member(RUNS, 4), NOW))
        .isSameAs(JobBeliefs.NONE);
    assertThat(JobBeliefs.NONE.suspect("j", SPEC, lives, member(RUNS, FATAL), NOW))
        .isSameAs(JobBeliefs.NONE);
  }

  // ---- what its plan will say -------------------------------------------------------------------

  @Test
  @Rule({"JS-160b", "JS-148"})
  void a_job_that_was_read_is_believed_to_do_what_its_plan_says() {
    var fails = DOOMED.foreseen(member(RUNS, FATAL));
    var runs = member(RUNS, 4);
    var complete = status(JobStatus.Type.COMPLETE);

    assertThat(learned(SPEC, JobStatus.EMPTY, fails)).isEqualTo(JobState.FAILING);
    assertThat(learned(SPEC, complete, runs)).isEqualTo(JobState.LEAVING);
    assertThat(learned(spec(JobSpec.Wish.SUSPEND), JobStatus.EMPTY, runs))
        .isEqualTo(JobState.LEAVING);
    assertThat(learned(SPEC, JobStatus.EMPTY, runs)).isEqualTo(JobState.RUNNING);
  }

  /** What is believed afterwards, whatever a cache still shows. */
  private static JobState learned(JobSpec spec, JobStatus status, JobPod pod) {
    return JobBeliefs.NONE.learn("j", spec, status, List.of(pod), NOW).of("j", JobStatus.EMPTY);
  }

  @Test
  @Rule("JS-160b")
  void a_job_that_goes_on_after_all_is_believed_no_longer() {
    var believed = JobBeliefs.NONE.suspect("j", SPEC, DOOMED, member(RUNS, FATAL), NOW);
    var corrected = believed.learn("j", SPEC, JobStatus.EMPTY, List.of(member(RUNS, 4)), NOW);

    assertThat(corrected).isEqualTo(JobBeliefs.NONE);
    assertThat(corrected.recheck()).isEmpty();
  }

  // ---- for a while ------------------------------------------------------------------------------

  @Test
  @Rule("JS-160b")
  void a_belief_lasts_ten_seconds_from_when_it_began() {
    var believed = JobBeliefs.NONE.suspect("j", SPEC, DOOMED, member(RUNS, FATAL), NOW);
    var again = believed.suspect("j", SPEC, DOOMED, member(RUNS, FATAL), NOW.plusSeconds(5));

    assertThat(again).isSameAs(believed);
    assertThat(believed.at(NOW.plusMillis(9_999))).isSameAs(believed);
    assertThat(believed.at(NOW.plusSeconds(10))).isEqualTo(JobBeliefs.NONE);
  }

  @Test
  @Rule("JS-160b")
  void beliefs_are_kept_by_job_and_the_oldest_is_confirmed_first() {
    var both =
        JobBeliefs.NONE
            .suspect("j", SPEC, DOOMED, member(RUNS, FATAL), NOW)
            .suspect("k", SPEC, DOOMED, member(RUNS, FATAL), NOW.plusSeconds(4));

    assertThat(both.recheck()).contains(NOW.plusSeconds(10));
    assertThat(both.at(NOW.plusSeconds(11)).recheck()).contains(NOW.plusSeconds(14));
    assertThat(both.without("j").of("j", JobStatus.EMPTY)).isEqualTo(JobState.RUNNING);
    assertThat(both.without("j").of("k", JobStatus.EMPTY)).isEqualTo(JobState.FAILING);
    assertThat(both.without("x")).isSameAs(both);
  }
}
