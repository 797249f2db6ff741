package dev.regroup.rules.jobset;

import static dev.regroup.rules.jobset.JobSetFixture.NOW;
import static dev.regroup.rules.jobset.JobSetFixture.failing;
import static dev.regroup.rules.jobset.JobSetFixture.job;
import static dev.regroup.rules.jobset.JobSetFixture.spec;
import static dev.regroup.rules.jobset.JobSetFixture.suspended;
import static dev.regroup.rules.jobset.JobSetFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.group.GroupRestartRequest;
import dev.regroup.rules.group.Roster;
import dev.regroup.rules.jobset.JobSetSpec.FailureAction;
import dev.regroup.rules.jobset.JobSetSpec.Strategy;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** How the group's decisions meet the rest of a JobSet, rule by rule. */
class InPlaceRulesTest {

  private static final JobSetSpec.Dependency X_COMPLETE =
      new JobSetSpec.Dependency("x", JobSetSpec.Until.COMPLETE);

  private static JobSetSpec inPlace(int maxRestarts, JobSetSpec.ReplicatedJob... jobs) {
    return failing(spec(jobs), maxRestarts, Strategy.IN_PLACE_RESTART);
  }

  private static List<String> expected(JobSetFixture set) {
    return JobSetPlan.roster(set.spec, set.status, set.gates, List.copyOf(set.jobs.values()))
        .entries()
        .stream()
        .map(Roster.Entry::replicatedJob)
        .toList();
  }

  @Test
  @Rule({"JS-117", "JS-133"})
  void every_place_of_every_participating_job_is_expected() {
    var set = new JobSetFixture(inPlace(1, job("x", 3), job("y", 2)));

    var roster = JobSetPlan.roster(set.spec, set.status, set.gates, List.of());

    assertThat(roster.expected()).isEqualTo(10);
  }

  @Test
  @Rule({"JS-133", "AS-79"})
  void a_complete_job_stays_expected_until_its_whole_group_is_complete() {
    var z = job("z", 1, X_COMPLETE);
    var set = new JobSetFixture(inPlace(3, job("v", 1), job("w", 1))).settle();
    set.complete("a-v-0");
    assertThat(expected(set)).containsExactly("v", "w");
    set.complete("a-w-0");
    assertThat(expected(set)).isEmpty();

    var awaited = new JobSetFixture(inPlace(3, job("x", 1), job("y", 1), z)).settle();
    assertThat(expected(awaited)).containsExactly("x", "y");
    awaited.complete("a-x-0");
    assertThat(expected(awaited)).containsExactly("y", "z");
  }

  @Test
  @Rule("JS-133")
  void a_ready_dependency_keeps_a_job_in_the_group_of_what_it_depends_on() {
    var z = job("z", 1, X_COMPLETE);
    var b = job("b", 1, new JobSetSpec.Dependency("z", JobSetSpec.Until.READY));
    var set = new JobSetFixture(inPlace(3, job("x", 1), z, b)).settle();
    set.complete("a-x-0");
    set.settle();
    set.reportAll(0, "a-z-0");
    set.settle();

    set.complete("a-z-0");

    assertThat(expected(set)).containsExactly("z", "b");
  }

  @Test
  @Rule({"AS-79", "JS-133", "JS-146", "JS-28j"})
  void the_next_group_is_signalled_once_and_before_its_jobs_exist() {
    var set = JobSetFixture.lifted(inPlace(0, job("x", 1), job("y", 2, X_COMPLETE)));
    set.succeeds("a-x-0", 0, 0);
    set.succeeds("a-x-0", 1, 0);
    set.complete("a-x-0");

    var order = set.step();

    assertThat(order.write()).isEqualTo(JobSetPlan.Write.ORDER);
    assertThat(order.effects()).isEmpty();
    set.settle();
    assertThat(set.jobs.keySet()).containsExactly("a-x-0", "a-y-0", "a-y-1");
    set.reportAll(1, "a-y-0", "a-y-1");
    set.settle();
    assertThat(set.current()).isEqualTo(1);
    assertThat(set.status.group().uncounted()).isEqualTo(1);
  }

  @Test
  @Rule({"JS-89", "JS-89a", "JS-28k"})
  void restarts_in_place_and_recreations_share_one_budget() {
    var set = JobSetFixture.lifted(inPlace(1, job("w", 1)));
    set.exits("a-w-0", 0, 0);
    set.settle();
    set.reportAll(1, "a-w-0");
    set.settle();
    assertThat(set.status.group().counted()).isEqualTo(OptionalInt.of(1));

    set.fail("a-w-0");
    set.settle();

    assertThat(set.reason(JobSetStatus.Type.FAILED)).isEqualTo("ReachedMaxRestarts");
    assertThat(set.status.restarts()).isZero();
  }

  @Test
  @Rule({"JS-89", "JS-88"})
  void other_strategies_do_not_look_at_restarts_in_place() {
    var set = new JobSetFixture(failing(spec(job("w", 1)), 1, Strategy.RECREATE)).settle();
    set.status = set.status.withGroup(JobSetFixture.lifted(inPlace(3, job("w", 1))).status.group());
    set.fail("a-w-0");

    assertThat(set.settle().status.restarts()).isEqualTo(1);
    assertThat(set.status.finished()).isFalse();
  }

  @Test
  @Rule({"AS-58", "JS-89a", "JS-148"})
  void recreations_that_ignore_the_budget_leave_it_to_restarts_in_place() {
    var free =
        new JobSetSpec.FailureRule(
            "r",
            FailureAction.RESTART_JOB_SET_AND_IGNORE_MAX_RESTARTS,
            List.of(),
            List.of(),
            List.of());
    var set = JobSetFixture.lifted(failing(spec(job("w", 1)), 1, Strategy.IN_PLACE_RESTART, free));
    for (int attempt = 1; attempt <= 2; attempt++) {
      set.fail("a-w-0");
      set.settle();
      set.podsGone();
      set.reportAll(attempt, "a-w-0");
      set.settle();
    }
    assertThat(set.current()).isEqualTo(2);
    assertThat(set.status.restarts()).isEqualTo(2);

    set.exits("a-w-0", 0, 2);
    set.settle();
    set.reportAll(3, "a-w-0");
    assertThat(set.settle().status.finished()).isFalse();
    assertThat(set.current()).isEqualTo(3);
    set.exits("a-w-0", 0, 3);

    assertThat(set.settle().reason(JobSetStatus.Type.FAILED)).isEqualTo("ReachedMaxRestarts");
  }

  @Test
  @Rule({"AS-56", "JS-112"})
  void a_fatal_job_failure_ends_the_set_though_restarts_are_left() {
    var fatal =
        new JobSetSpec.FailureRule(
            "r", FailureAction.FAIL_JOB_SET, List.of("PodFailurePolicy"), List.of(), List.of());
    var set = JobSetFixture.lifted(failing(spec(job("w", 1)), 3, Strategy.IN_PLACE_RESTART, fatal));
    set.exits("a-w-0", 0, 0); // its pod failed too, which alone would restart the group
    set.fail("a-w-0", "PodFailurePolicy", "m", NOW);

    set.settle();

    assertThat(set.reason(JobSetStatus.Type.FAILED)).isEqualTo("FailJobSetFailurePolicyAction");
    assertThat(set.previous()).isEqualTo(-1);
  }

  @Test
  @Rule({"JS-112", "JS-144"})
  void a_set_that_completes_or_has_failed_signals_nothing_more() {
    var set = JobSetFixture.lifted(inPlace(3, job("w", 1)));
    set.exits("a-w-0", 0, 0);
    set.complete("a-w-0");

    set.settle();

    assertThat(set.status.terminalState()).isEqualTo("Completed");
    assertThat(set.previous()).isEqualTo(-1);
    var failed = JobSetFixture.lifted(inPlace(0, job("w", 1)));
    failed.exits("a-w-0", 0, 0);
    failed.settle();
    int orders = failed.orders;
    failed.counters.forget("a-w-0/0");
    assertThat(failed.settle().orders).isEqualTo(orders);
  }

  @Test
  @Rule({"JS-120a", "JS-28f", "JS-28g", "AS-57"})
  void signals_survive_recreation_and_suspension() {
    var set = JobSetFixture.lifted(inPlace(5, job("w", 1)));
    set.fail("a-w-0");
    set.settle();
    assertThat(set.current()).isZero();
    assertThat(set.previous()).isZero();
    set.podsGone();
    set.reportAll(1, "a-w-0");
    set.settle();
    assertThat(set.current()).isEqualTo(1);

    set.spec = suspended(set.spec, true);
    set.settle();

    assertThat(set.current()).isEqualTo(1);
    assertThat(set.previous()).isZero();
  }

  @Test
  @Rule({"JS-120a", "AS-42"})
  void a_restart_in_place_touches_no_job() {
    var set = JobSetFixture.lifted(inPlace(3, job("w", 2)));
    var before = List.copyOf(set.jobs.values());
    set.effects.clear();
    set.exits("a-w-1", 0, 0);
    set.settle();
    set.reportAll(1, "a-w-0", "a-w-1");

    set.settle();

    assertThat(set.effects).isEmpty();
    assertThat(set.jobs.values()).containsExactlyElementsOf(before);
    assertThat(set.status.restarts()).isZero();
  }

  @Test
  @Rule({"JS-146", "JS-160", "AS-60"})
  void pods_that_vanish_because_of_a_suspension_are_no_failure() {
    var set = JobSetFixture.lifted(inPlace(0, job("w", 1)));
    set.spec = suspended(set.spec, true);
    set.settle();

    set.counters.remove("a-w-0/0");
    set.counters.remove("a-w-0/1");

    assertThat(set.settle().status.finished()).isFalse();
    assertThat(set.previous()).isEqualTo(-1);
  }

  /** The marker is taken away only when the last job in order has started. */
  @Test
  @Rule({"AS-30", "JS-146", "JS-82"})
  void a_set_that_resumes_in_order_restarts_its_group_once() {
    var base = inPlace(0, job("x", 1), job("y", 1));
    var ordered =
        with(base, base.jobs(), base.successPolicy(), JobSetSpec.StartOrder.IN_ORDER, false);
    var set = new JobSetFixture(ordered).settle();
    set.reportAll(0, "a-x-0");
    set.settle();
    set.reportAll(0, "a-y-0");
    set.settle();
    assertThat(set.current()).isZero();

    set.spec = suspended(set.spec, true);
    set.settle();
    set.podsGone();
    set.spec = suspended(set.spec, false);
    set.settle();
    set.reportAll(1, "a-x-0");
    set.settle();
    set.reportAll(1, "a-y-0");
    set.settle();

    assertThat(set.current()).isEqualTo(1);
    assertThat(set.status.group().uncounted()).isEqualTo(1);
    assertThat(set.status.is(JobSetStatus.Type.SUSPENDED)).isFalse();
    assertThat(set.status.group().barrier().restarting()).isFalse();
    set.now = NOW.plusSeconds(5);
    set.spec = suspended(set.spec, true);
    set.settle();
    set.podsGone();
    set.spec = suspended(set.spec, false);
    assertThat(set.settle().status.group().uncounted()).isEqualTo(2);
  }

  @Test
  @Rule({"JS-97b", "AS-82", "AS-46"})
  void jobs_are_ready_again_only_after_the_barrier_has_lifted() {
    var set = JobSetFixture.lifted(inPlace(3, job("w", 2)));
    set.exits("a-w-0", 0, 0);
    set.settle();
    set.complete("a-w-1");
    set.ready("a-w-0");
    set.report("a-w-0", 0, 1);
    set.settle();
    var orders = set.status.group().barrier();
    assertThat(set.status.is(JobSetStatus.Type.RESTARTING)).isTrue();

    set.report("a-w-0", 1, 1);
    set.settle();

    assertThat(set.status.group().barrier()).isEqualTo(orders); // w-1 has not come yet
    assertThat(set.status.is(JobSetStatus.Type.RESTARTING)).isTrue();
  }

  @Test
  @Rule("JS-74")
  void one_job_ready_and_one_done_is_all_ready() {
    var set = new JobSetFixture(failing(spec(job("w", 2)), 1, Strategy.RECREATE)).settle();
    set.fail("a-w-0");
    set.settle();
    assertThat(set.status.is(JobSetStatus.Type.RESTARTING)).isTrue();
    set.ready("a-w-0");
    set.complete("a-w-1");

    assertThat(set.settle().reason(JobSetStatus.Type.RESTARTING)).isEqualTo("JobsReady");
  }

  @Test
  @Rule("JS-133a")
  void says_for_whom_the_barrier_waits_and_that_it_lifted() {
    var set = new JobSetFixture(inPlace(3, job("w", 1))).settle();
    set.report("a-w-0", 0, 0);
    set.waitingSince = Optional.of(NOW);
    assertThat(set.step().wakeUp()).isEqualTo(NOW.plusSeconds(30));
    set.now = NOW.plusSeconds(30);
    set.settle();
    var waiting = set.status.condition(JobSetStatus.Type.BARRIER_WAITING).orElseThrow();
    assertThat(waiting.on()).isTrue();
    assertThat(waiting.reason()).isEqualTo("PodsMissing");
    assertThat(waiting.message()).isEqualTo("1 of 2 at attempt 0; waiting for a-w-0-1: no Pod");
    assertThat(set.notes).contains(JobSetPlan.Note.warning("PodsMissing", waiting.message()));

    set.notes.clear();
    set.counters.forget("a-w-0/0");
    set.settle();
    assertThat(set.notes).isEmpty(); // another count is no event
    assertThat(set.status.condition(JobSetStatus.Type.BARRIER_WAITING).orElseThrow().message())
        .startsWith("0 of 2");
    set.reportAll(0, "a-w-0");
    set.settle();

    assertThat(set.reason(JobSetStatus.Type.BARRIER_WAITING)).isEqualTo("BarrierLifted");
    assertThat(set.status.is(JobSetStatus.Type.BARRIER_WAITING)).isFalse();
  }

  @Test
  @Rule({"JS-167", "AS-88", "JS-28m"})
  void a_request_is_answered_in_the_status_once() {
    var set = JobSetFixture.lifted(inPlace(3, job("w", 1)));
    set.request = Optional.of(new GroupRestartRequest("r1", "", true));

    set.settle();
    set.reportAll(1, "a-w-0");
    set.settle();

    assertThat(set.current()).isEqualTo(1);
    var served = set.status.group().lastRequest().orElseThrow();
    assertThat(served.requestId()).isEqualTo("r1");
    assertThat(served.time()).isEqualTo(NOW);
    assertThat(set.status.group().counted()).isEqualTo(OptionalInt.of(1));
    set.spec = suspended(set.spec, true);
    set.settle();
    set.request = Optional.of(new GroupRestartRequest("r2", "", true));
    set.settle();
    assertThat(set.notes)
        .contains(
            JobSetPlan.Note.warning(
                "RestartRequestIgnored", "request r2: the JobSet is suspended"));
  }
}
