package dev.regroup.rules.group;

import static dev.regroup.rules.group.GroupFixture.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.group.GroupPlan.Step;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class GroupPlanTest {

  private static final Sign EXIT = Sign.of(Sign.Kind.WORKER_EXITED, "p1", "worker", 1);

  @Test
  void lifts_when_all_pods_wrote_attempt_0_as41_js118() {
    var group = new GroupFixture(4).at(0, 0).at(1, 0).at(2, 0);

    assertThat(group.step().step()).isInstanceOf(Step.Rest.class);
    assertThat(group.status.barrier()).isEqualTo(Barrier.UNSET);
    var plan = group.at(3, 0).step();

    assertThat(plan.step()).isEqualTo(new Step.Lift(0));
    assertThat(plan.status().barrier().current()).isEqualTo(OptionalInt.of(0));
    assertThat(plan.status().barrier().previous()).isEmpty();
    assertThat(plan.status().barrier().syncedEpoch()).isEqualTo(1);
  }

  @Test
  void restarts_everybody_when_one_came_back_ahead_as42_js120() {
    var group = new GroupFixture(3).running(0).allAt(3, 0).at(1, 1);

    var raised = group.step();

    assertThat(raised.step()).isInstanceOf(Step.Restart.class);
    assertThat(raised.status().barrier().previous()).isEqualTo(OptionalInt.of(0));
    assertThat(raised.status().barrier().current()).isEqualTo(OptionalInt.of(0));
    assertThat(raised.status().counted()).isEqualTo(OptionalInt.of(1));
    assertThat(group.at(0, 1).step().step()).isInstanceOf(Step.Rest.class);
    assertThat(group.at(2, 1).step().step()).isEqualTo(new Step.Lift(1));
  }

  @Test
  void two_failures_at_once_are_one_restart_as43_js149a() {
    var group = new GroupFixture(4).running(0).allAt(4, 0);
    group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.LIVE, EXIT);
    group.put("p2", 2, new AttemptReport.At(0), PodReading.Life.LIVE, EXIT);

    group.step();
    group.at(1, 1).at(2, 1);
    var later = group.step();

    assertThat(later.step()).isInstanceOf(Step.Rest.class);
    assertThat(group.status.counted()).isEqualTo(OptionalInt.of(1));
    assertThat(group.status.restarts()).hasSize(1);
  }

  @Test
  void changes_the_signals_in_exactly_two_updates_per_restart_js157() {
    var group = new GroupFixture(3).running(0).allAt(3, 0);
    int changes = 0;
    var barrier = group.status.barrier();
    group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.LIVE, EXIT);
    for (int index : List.of(1, 0, 2)) {
      group.step();
      changes += group.status.barrier().equals(barrier) ? 0 : 1;
      barrier = group.status.barrier();
      group.at(index, 1);
    }
    group.step();
    changes += group.status.barrier().equals(barrier) ? 0 : 1;

    assertThat(changes).isEqualTo(2);
    assertThat(group.status.barrier().current()).isEqualTo(OptionalInt.of(1));
  }

  @Test
  void sees_a_failure_before_the_pod_is_back_as63_js160() {
    var group = new GroupFixture(3).running(2).allAt(3, 2);
    group.put("p1", 1, new AttemptReport.At(2), PodReading.Life.LIVE, EXIT);

    var plan = group.plan();

    assertThat(plan.status().barrier().previous()).isEqualTo(OptionalInt.of(2));
    assertThat(plan.status().restarts().getLast().cause()).isEqualTo(EXIT);
    assertThat(plan.notes().getFirst().message())
        .isEqualTo("in-place restart to attempt 3 (Pod p1, container worker, exit code 1)");
  }

  @Test
  void a_pod_that_vanishes_has_failed_js160() {
    var group = new GroupFixture(2).running(0).allAt(2, 0);
    group.counters.remove("p1");

    assertThat(group.plan().step()).isInstanceOf(Step.Restart.class);
  }

  @Test
  void a_sign_of_an_earlier_attempt_means_nothing_js160() {
    var group = new GroupFixture(2).running(1).allAt(2, 1);
    group.put("old", 1, new AttemptReport.At(0), PodReading.Life.DEAD, EXIT);

    assertThat(group.plan().step()).isInstanceOf(Step.Rest.class);
  }

  @Test
  void a_failed_pod_next_to_its_replacement_is_ignored_as49_js149b() {
    var group = new GroupFixture(2).status(0, 0).allAt(2, 1);
    group.put("old", 1, new AttemptReport.At(1), PodReading.Life.DEAD, EXIT);

    assertThat(group.step().step()).isEqualTo(new Step.Lift(1));
    group.put("old", 1, new AttemptReport.At(1), PodReading.Life.DEAD, EXIT);
    assertThat(group.step().step()).isInstanceOf(Step.Rest.class);
  }

  @Test
  void waits_for_the_replacement_of_a_dying_pod_as48_js135() {
    var group = new GroupFixture(2).status(0, 0).at(0, 1);
    group.put("old", 1, new AttemptReport.At(1), PodReading.Life.DEAD, EXIT);

    assertThat(group.step().step()).isInstanceOf(Step.Rest.class);
    group.at(1, 1);

    assertThat(group.step().step()).isEqualTo(new Step.Lift(1));
    assertThat(group.status.counted()).isEqualTo(OptionalInt.of(0));
  }

  @Test
  void waits_for_one_of_two_pods_of_an_index_to_go_js135() {
    var group = new GroupFixture(2).allAt(2, 0);
    group.put("twin", 1, new AttemptReport.At(0), PodReading.Life.LIVE, null);

    assertThat(group.plan().step()).isInstanceOf(Step.Rest.class);
    group.counters.forget("twin");

    assertThat(group.plan().step()).isEqualTo(new Step.Lift(0));
  }

  @Test
  void does_not_lift_while_a_pod_at_the_barrier_restarts_as53_js137() {
    var group = new GroupFixture(2).status(0, 0).at(0, 1);
    group.put("p1", 1, new AttemptReport.At(1), PodReading.Life.LIVE, EXIT);

    assertThat(group.plan().step()).isInstanceOf(Step.Rest.class);
    assertThat(group.at(1, 1).plan().step()).isEqualTo(new Step.Lift(1));
  }

  @Test
  void fails_when_no_restart_is_left_as44_js160a() {
    var group = new GroupFixture(2).running(0).allAt(2, 0).at(1, 1);
    group.maxRestarts = 0;

    var plan = group.plan();

    assertThat(plan.step()).isEqualTo(new Step.Fail());
    assertThat(plan.status().barrier()).isEqualTo(group.status.barrier());
  }

  @Test
  void counts_recreations_into_the_same_budget_js89a() {
    var group = new GroupFixture(2).running(0).allAt(2, 0).at(1, 1);
    group.usedElsewhere = 3;

    assertThat(group.plan().step()).isEqualTo(new Step.Fail());
  }

  @Test
  void a_group_of_one_pays_for_its_restarts_too_js89a() {
    var group = new GroupFixture(1).running(0).at(0, 1);
    group.maxRestarts = 1;

    assertThat(group.step().step()).isEqualTo(new Step.Lift(1));
    assertThat(group.status.counted()).isEqualTo(OptionalInt.of(1));
    assertThat(group.status.barrier().previous()).isEmpty();
    assertThat(group.at(0, 2).step().step()).isEqualTo(new Step.Fail());
  }

  @Test
  void an_object_without_the_counter_gets_it_once_js89a() {
    var barrier = new Barrier(OptionalInt.of(3), OptionalInt.of(3));
    var group = new GroupFixture(1);
    group.status = new GroupStatus(barrier, OptionalInt.empty(), 1, List.of(), Optional.empty());
    group.recreations = 1;

    assertThat(group.plan().status().counted()).isEqualTo(OptionalInt.of(2)); // 4 - 1 - 1
  }

  @Test
  void recreates_all_jobs_when_a_place_has_succeeded_as64_js134() {
    var group = new GroupFixture(2).running(0).allAt(2, 0);
    group.put("p0", 0, new AttemptReport.At(0), PodReading.Life.SUCCEEDED, null);
    assertThat(group.plan().step()).isInstanceOf(Step.Rest.class);

    group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.LIVE, EXIT);

    assertThat(group.plan().step()).isEqualTo(new Step.Recreate(EXIT, true));
  }

  @Test
  void recreates_all_jobs_when_only_a_job_remembers_that_a_place_has_succeeded_js134() {
    var group = new GroupFixture(2).running(0).allAt(2, 0);
    group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.LIVE, EXIT);
    group.done = 1; // a deleted pod ended with 0: its index is complete, the pod is gone

    assertThat(group.plan().step()).isEqualTo(new Step.Recreate(EXIT, true));
  }

  @Test
  void recreates_all_jobs_when_one_job_was_made_anew_and_a_place_of_another_has_succeeded_js134() {
    var group = new GroupFixture(2).running(0).allAt(2, 0);
    group.status = group.status.recreated(); // RestartJob
    assertThat(group.plan().step()).isInstanceOf(Step.Rest.class);

    group.done = 1;

    assertThat(group.plan().step())
        .isEqualTo(new Step.Recreate(Sign.of(Sign.Kind.JOB_FAILED, ""), false));
  }

  @Test
  void recreates_all_jobs_when_a_place_succeeds_during_the_restart_js134() {
    var group = new GroupFixture(2).running(0).allAt(2, 0);
    group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.LIVE, EXIT);
    assertThat(group.step().step()).isEqualTo(new Step.Restart(EXIT, true));

    group.put("p0", 0, new AttemptReport.At(0), PodReading.Life.SUCCEEDED, null);
    var plan = group.step();

    assertThat(plan.step()).isEqualTo(new Step.Recreate(EXIT, false)); // counted already
    assertThat(plan.status().counted()).isEqualTo(OptionalInt.of(1));
    assertThat(group.plan().step()).as("once").isInstanceOf(Step.Rest.class);
  }

  @Test
  void workers_that_finish_one_by_one_restart_nobody_as84() {
    var group = new GroupFixture(3).running(0).allAt(3, 0);

    for (int index = 0; index < 3; index++) {
      group.put("p" + index, index, new AttemptReport.At(0), PodReading.Life.SUCCEEDED, null);
      assertThat(group.step().step()).isInstanceOf(Step.Rest.class);
    }
  }

  @Test
  void a_corrupt_report_blocks_the_lift_and_is_told_after_10_s_as50_js141() {
    var group = new GroupFixture(2).at(0, 0);
    group.put("p1", 1, new AttemptReport.Corrupt("abc"), PodReading.Life.LIVE, null);
    group.oddSince = Optional.of(NOW);

    assertThat(group.plan().notes()).isEmpty();
    assertThat(group.plan().wakeUp()).isEqualTo(NOW.plusSeconds(10));
    var later = group.plan(NOW.plusSeconds(10));

    assertThat(later.notes().getFirst().kind()).isEqualTo(GroupPlan.Note.Kind.INVALID_ATTEMPT);
    assertThat(group.at(1, 0).plan().step()).isEqualTo(new Step.Lift(0));
  }

  @Test
  void an_attempt_nobody_can_have_is_not_believed_as51_js140() {
    var group = new GroupFixture(2).running(0).at(0, 0).at(1, 99);

    var plan = group.plan();

    assertThat(plan.step()).isInstanceOf(Step.Rest.class);
    assertThat(GroupPlan.odd(group.counters.tally(), group.status.barrier())).isTrue();
  }

  @Test
  void a_resume_costs_no_budget_as60_js146() {
    var group = new GroupFixture(2).running(0);
    group.maxRestarts = 0;
    group.mood = GroupPlan.Mood.QUIET;
    group.voluntary = Optional.of(Sign.Kind.RESUMED);

    var plan = group.step();

    assertThat(plan.step()).isInstanceOf(Step.Restart.class);
    assertThat(plan.status().uncounted()).isEqualTo(1);
    assertThat(plan.status().counted()).isEqualTo(OptionalInt.of(0));
    group.mood = GroupPlan.Mood.RUNNING;
    assertThat(group.allAt(2, 1).step().step()).isEqualTo(new Step.Lift(1));
  }

  @Test
  void suspension_is_no_failure_js160() {
    var group = new GroupFixture(2).running(0).allAt(2, 0);
    group.mood = GroupPlan.Mood.QUIET;
    group.counters.remove("p0");
    group.counters.remove("p1");

    assertThat(group.plan().step()).isInstanceOf(Step.Rest.class);
  }

  @Test
  void a_runaway_init_container_fails_the_group_as55_js145() {
    var group = new GroupFixture(1);
    group.counters.put(
        new PodReading(
            "p0",
            "p0",
            "a-w-0",
            OptionalInt.of(0),
            AttemptReport.NONE,
            PodReading.Life.LIVE,
            null,
            4,
            false));

    assertThat(group.plan().step()).isEqualTo(new Step.Fail());
    group.maxRestarts = 4;
    assertThat(group.plan().step()).isInstanceOf(Step.Rest.class);
  }

  @Test
  void serves_a_request_once_and_counts_it_as88_js167() {
    var group = new GroupFixture(2).running(0).allAt(2, 0);
    group.request = Optional.of(new GroupRestartRequest("r1", " maintenance ", true));

    var plan = group.step();
    assertThat(plan.step()).isInstanceOf(Step.Restart.class);
    assertThat(plan.notes().getFirst().message())
        .isEqualTo("in-place restart to attempt 1 (Requested: maintenance)");
    assertThat(group.status.counted()).isEqualTo(OptionalInt.of(1));
    group.allAt(2, 1).step();
    assertThat(group.step().step()).isInstanceOf(Step.Rest.class);

    group.request = Optional.of(new GroupRestartRequest("r2", "", false));
    plan = group.step();
    assertThat(plan.step()).isInstanceOf(Step.Restart.class);
    assertThat(plan.notes().getFirst().message())
        .isEqualTo("in-place restart to attempt 2 (Requested)");
    assertThat(group.status.counted()).isEqualTo(OptionalInt.of(1));
    assertThat(group.status.uncounted()).isEqualTo(1);
    assertThat(group.status.lastRequest().orElseThrow().requestId()).isEqualTo("r2");
  }

  @Test
  void a_request_beyond_the_budget_or_too_early_is_ignored_with_a_reason_as88_js167() {
    var group = new GroupFixture(2).running(0).allAt(2, 0);
    group.maxRestarts = 0;
    group.request = Optional.of(new GroupRestartRequest("r1", "", true));

    var plan = group.step();

    assertThat(plan.step()).isInstanceOf(Step.Rest.class);
    assertThat(plan.notes().getFirst().message())
        .isEqualTo("request r1: no restart is left (maxRestarts 0)");
    assertThat(group.step().notes()).isEmpty();
    var early = new GroupFixture(2);
    early.request = Optional.of(new GroupRestartRequest("r1", "", true));
    assertThat(early.plan().notes().getFirst().message())
        .isEqualTo("request r1: the group has not started yet");
  }

  @Test
  void a_request_during_a_restart_is_served_by_it_js167() {
    var group = new GroupFixture(2).status(0, 0).at(0, 1).at(1, 0);
    group.request = Optional.of(new GroupRestartRequest("r1", "", true));

    var plan = group.step();

    assertThat(plan.step()).isInstanceOf(Step.Rest.class);
    assertThat(plan.notes()).isEmpty();
    assertThat(plan.status().lastRequest().orElseThrow().requestId()).isEqualTo("r1");
  }

  @Test
  void says_for_whom_it_waits_after_30_s_js133a() {
    var group = new GroupFixture(3).at(0, 0);
    group.counters.put(
        new PodReading(
            "p1",
            "p1",
            "a-w-0",
            OptionalInt.of(1),
            AttemptReport.NONE,
            PodReading.Life.LIVE,
            null,
            0,
            true));
    group.waitingSince = Optional.of(NOW);

    assertThat(group.plan().wakeUp()).isEqualTo(NOW.plusSeconds(30));
    var plan = group.plan(NOW.plusSeconds(30));

    assertThat(plan.step())
        .isEqualTo(
            new Step.Rest(
                Optional.of(
                    new GroupPlan.Waiting(
                        GroupPlan.Waiting.Reason.AGENT_SILENT,
                        "1 of 3 at attempt 0; waiting for p1: agent has not reported,"
                            + " a-w-0-2: no Pod"))));
  }

  @Test
  void keeps_the_newest_ten_restarts_js28l() {
    var group = new GroupFixture(1).running(0).at(0, 0);
    group.maxRestarts = 100;
    for (int attempt = 1; attempt <= 12; attempt++) {
      group.put("p0", 0, new AttemptReport.At(attempt - 1), PodReading.Life.LIVE, EXIT);
      group.step();
      group.at(0, attempt).step();
    }

    var restarts = group.status.restarts();
    assertThat(restarts).hasSize(10);
    assertThat(restarts.getFirst().attempt()).isEqualTo(3);
    assertThat(restarts.getLast().liftedAt()).isEqualTo(NOW);
  }

  @Test
  void five_restarts_in_a_minute_never_wait_as83() {
    var group = new GroupFixture(2).running(0).allAt(2, 0);
    group.maxRestarts = 5;
    var now = NOW;
    for (int attempt = 1; attempt <= 5; attempt++) {
      group.put("p1", 1, new AttemptReport.At(attempt - 1), PodReading.Life.LIVE, EXIT);
      now = now.plus(Duration.ofSeconds(5));
      var raised = group.plan(now);
      group.status = raised.status();
      assertThat(raised.step()).isInstanceOf(Step.Restart.class);
      group.allAt(2, attempt);
      var lifted = group.plan(now);
      group.status = lifted.status();
      assertThat(lifted.step()).isEqualTo(new Step.Lift(attempt));
    }
    assertThat(group.status.counted()).isEqualTo(OptionalInt.of(5));
  }

  @Test
  void nonindexed_jobs_need_exactly_their_number_of_pods_js135a() {
    var counters = new Counters();
    counters.expect(GroupFixture.roster(2, Roster.Places.ANY));
    for (var uid : List.of("x", "y", "z")) {
      counters.put(
          new PodReading(
              uid,
              uid,
              "a-w-0",
              OptionalInt.empty(),
              new AttemptReport.At(0),
              PodReading.Life.LIVE,
              null,
              0,
              false));
    }

    assertThat(counters.tally().inStep()).isEmpty();
    counters.forget("z");
    assertThat(counters.tally().inStep()).isEqualTo(OptionalInt.of(0));
  }

  @Test
  void a_smaller_roster_lifts_without_the_places_it_lost_js147() {
    var group = new GroupFixture(3).status(0, 0).at(0, 1).at(1, 1);
    assertThat(group.plan().step()).isInstanceOf(Step.Rest.class);

    group.counters.expect(GroupFixture.roster(2, Roster.Places.INDEXED));

    assertThat(group.plan().step()).isEqualTo(new Step.Lift(1));
  }
}
