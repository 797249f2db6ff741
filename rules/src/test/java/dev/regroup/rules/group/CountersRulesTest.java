package dev.regroup.rules.group;

import static dev.regroup.rules.group.GroupFixture.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.regroup.rules.Rule;
import dev.regroup.rules.group.GroupPlan.Step;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** What a place counts for while pods come, fail, vanish and are replaced. */
class CountersRulesTest {

  private static final Sign EXIT = Sign.of(Sign.Kind.WORKER_EXITED, "p1", "worker", 1);

  private static PodReading pod(String uid, int index, AttemptReport report) {
    return new PodReading(
        uid, uid, World.JOB, OptionalInt.of(index), report, PodReading.Life.LIVE, null, 0, false);
  }

  private static PodReading anywhere(String uid) {
    return new PodReading(
        uid,
        uid,
        World.JOB,
        OptionalInt.empty(),
        new AttemptReport.At(0),
        PodReading.Life.LIVE,
        null,
        0,
        false);
  }

  private static PodReading silent(String uid, int index) {
    return new PodReading(
        uid,
        uid,
        World.JOB,
        OptionalInt.of(index),
        AttemptReport.NONE,
        PodReading.Life.LIVE,
        null,
        0,
        true);
  }

  @Test
  @Rule("JS-156")
  void says_whether_anything_a_decision_looks_at_changed() {
    var counters = new GroupFixture(2).counters;

    assertThat(counters.put(pod("p0", 0, new AttemptReport.At(0)))).isTrue();
    assertThat(counters.put(silent("p1", 1))).isTrue();
    assertThat(counters.put(pod("p1", 1, AttemptReport.NONE))).isFalse();
    assertThat(counters.put(pod("p1", 1, new AttemptReport.At(0)))).isTrue();
    assertThat(counters.remove("nobody")).isFalse();
    assertThat(counters.forget("nobody")).isFalse();
    assertThat(counters.remove("p0")).isTrue();
    assertThat(counters.forget("p1")).isTrue();
    assertThat(counters.forget("p1")).isFalse();
  }

  @Test
  @Rule({"JS-155", "AS-73"})
  void an_event_takes_a_few_steps_in_any_group() {
    var counters = new GroupFixture(3).allAt(3, 0).counters;
    long before = counters.operations();

    counters.put(pod("p1", 1, new AttemptReport.At(1)));

    assertThat(counters.operations() - before).isBetween(1L, 5L);
  }

  @Test
  @Rule("JS-155")
  void a_pod_that_changes_its_place_leaves_the_old_one() {
    var counters = new GroupFixture(2).counters;
    counters.put(pod("p", 0, new AttemptReport.At(0)));

    counters.put(pod("p", 1, new AttemptReport.At(0)));

    assertThat(counters.tally().at(0)).isEqualTo(1);
    assertThat(counters.tally().missing())
        .extracting(one -> one.slot().index().getAsInt() + "")
        .containsExactly("0");
  }

  @Test
  @Rule({"JS-133a", "JS-135"})
  void says_why_a_place_is_empty() {
    var group = new GroupFixture(7).at(0, 0);
    group.counters.put(silent("p1", 1));
    group.put("p2", 2, new AttemptReport.Corrupt("x"), PodReading.Life.LIVE, null);
    group.put("p3", 3, AttemptReport.NONE, PodReading.Life.LIVE, null);

    assertThat(group.counters.tally().missing())
        .extracting(one -> one.pod() + ": " + one.why())
        .containsExactly("p1: AGENT_SILENT", "p2: CORRUPT", "p3: NOT_STARTED");

    group.at(1, 0).at(2, 0).at(3, 0).at(4, 0);
    group.put("p5", 5, new AttemptReport.At(0), PodReading.Life.DEAD, EXIT);
    group.at(6, 0).put("twin", 6, new AttemptReport.At(0), PodReading.Life.LIVE, null);
    assertThat(group.counters.tally().missing())
        .extracting(one -> one.slot().index().getAsInt() + " " + one.pod() + ": " + one.why())
        .containsExactly("5 : NO_POD", "6 p6: DOUBLE");
  }

  @Test
  @Rule("JS-133a")
  void a_place_that_loses_its_pod_is_missing_again_and_a_free_seat_never_is() {
    var group = new GroupFixture(2).allAt(2, 0);
    assertThat(group.counters.tally().missing()).isEmpty();
    group.counters.forget("p1");
    assertThat(group.counters.tally().missing()).hasSize(1);

    var counters = new Counters();
    counters.expect(GroupFixture.roster(2, Roster.Places.ANY));
    counters.put(anywhere("x"));
    counters.forget("x");
    assertThat(counters.tally().missing()).isEmpty();
    group.put("q", 7, new AttemptReport.At(0), PodReading.Life.LIVE, null); // no such place
    group.counters.forget("q");
    assertThat(group.counters.tally().missing()).hasSize(1);
  }

  @Test
  @Rule({"JS-133a", "JS-134"})
  void a_place_that_has_succeeded_is_not_waited_for() {
    var group = new GroupFixture(2).at(0, 0);

    group.put("p1", 1, AttemptReport.NONE, PodReading.Life.SUCCEEDED, null);

    assertThat(group.counters.tally().missing()).isEmpty();
    assertThat(group.counters.tally().succeeded()).isEqualTo(1);
    group.at(1, 0);
    assertThat(group.counters.tally().succeeded()).isZero();
  }

  @Test
  @Rule({"JS-147", "JS-155"})
  void another_roster_counts_everybody_anew() {
    var group = new GroupFixture(2).at(0, 0);
    group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.LIVE, EXIT);
    group.counters.put(
        new PodReading(
            "r",
            "r",
            World.JOB,
            OptionalInt.of(0),
            AttemptReport.NONE,
            PodReading.Life.LIVE,
            null,
            9,
            false));
    group.counters.forget("p0");
    assertThat(group.counters.tally().runaway()).isEqualTo(9);

    var other = new Roster.Entry("v", List.of("a-v-0"), 1, Roster.Places.INDEXED);
    group.counters.expect(new Roster(List.of(other)));

    var tally = group.counters.tally();
    assertThat(tally.signs()).isEmpty();
    assertThat(tally.runaway()).isZero();
    assertThat(tally.ready()).containsOnlyKeys("v");
    assertThat(tally.missing())
        .containsExactly(new Tally.Missing(SlotId.indexed("a-v-0", 0), "", Tally.Why.NO_POD));
  }

  @Test
  @Rule("JS-135a")
  void a_job_without_indexes_is_counted_anew_with_its_size() {
    var counters = new Counters();
    counters.expect(GroupFixture.roster(2, Roster.Places.ANY));
    for (var uid : List.of("x", "y", "z")) {
      counters.put(anywhere(uid));
    }
    assertThat(counters.tally().exactJobs()).isFalse();

    counters.expect(GroupFixture.roster(3, Roster.Places.ANY));
    assertThat(counters.tally().inStep()).isEqualTo(OptionalInt.of(0));
    counters.expect(GroupFixture.roster(2, Roster.Places.ANY));
    assertThat(counters.tally().exactJobs()).isFalse();
    counters.forget("x");
    assertThat(counters.tally().inStep()).isEqualTo(OptionalInt.of(0));
  }

  @Test
  @Rule("JS-160")
  void a_lost_pod_is_remembered_until_its_place_reports_again() {
    var group = new GroupFixture(2).allAt(2, 1);
    group.counters.remove("p1");
    group.put(
        "q",
        1,
        new AttemptReport.At(1),
        PodReading.Life.LIVE,
        EXIT); // no further than the lost one
    group.counters.forget("q");
    assertThat(group.counters.tally().signs().get(1).sign().kind())
        .isEqualTo(Sign.Kind.POD_DELETED);

    group.put("r", 1, new AttemptReport.At(2), PodReading.Life.LIVE, EXIT);
    group.counters.forget("r");
    assertThat(group.counters.tally().signs()).isEmpty();
  }

  @Test
  @Rule("JS-160")
  void a_place_that_reports_without_a_sign_forgets_what_it_lost() {
    var group = new GroupFixture(2).allAt(2, 1);
    group.counters.remove("p1");
    group.put("q", 1, new AttemptReport.At(1), PodReading.Life.LIVE, null);
    group.counters.forget("q");

    assertThat(group.counters.tally().signs()).isEmpty();
  }

  @Test
  @Rule({"JS-160", "JS-149b"})
  void of_dead_pods_the_newest_says_why() {
    var group = new GroupFixture(2).allAt(2, 0);
    group.counters.remove("p1");
    group.put("old", 1, new AttemptReport.At(0), PodReading.Life.DEAD, EXIT);
    assertThat(group.counters.tally().signs().get(0).sign()).isEqualTo(EXIT);

    var evicted = Sign.of(Sign.Kind.POD_DISRUPTED, "older");
    group.put("older", 1, new AttemptReport.At(0), PodReading.Life.DEAD, evicted);

    assertThat(group.counters.tally().signs().get(0).sign()).isEqualTo(evicted);
  }

  @Test
  @Rule({"JS-119", "JS-118"})
  void nothing_happens_while_the_first_pods_arrive() {
    var group = new GroupFixture(3);
    assertThat(group.plan().step()).isEqualTo(new Step.Rest(Optional.empty()));
    group.at(0, 0);
    group.counters.remove("p0"); // a failure before the first attempt ran restarts nobody

    assertThat(group.plan().step()).isEqualTo(new Step.Rest(Optional.empty()));
    assertThat(group.plan().status().barrier()).isEqualTo(Barrier.UNSET);
  }

  @Test
  @Rule({"JS-140", "JS-141"})
  void an_odd_report_is_told_after_ten_seconds_and_a_normal_one_never() {
    var group = new GroupFixture(2).running(0).at(0, 0).at(1, 0);
    group.oddSince = Optional.of(NOW);
    assertThat(group.plan(NOW.plusSeconds(60)).notes()).isEmpty();
    assertThat(GroupPlan.odd(group.counters.tally(), group.status.barrier())).isFalse();
    group.at(1, 2); // two ahead

    assertThat(GroupPlan.odd(group.counters.tally(), group.status.barrier())).isTrue();
    assertThat(group.plan(NOW.plusSeconds(10)).notes())
        .containsExactly(
            new GroupPlan.Note(
                GroupPlan.Note.Kind.INVALID_ATTEMPT,
                "a Pod reports attempt 2, the highest possible is 1"));
    group.put("p1", 1, new AttemptReport.Corrupt("x"), PodReading.Life.LIVE, null);
    assertThat(GroupPlan.odd(group.counters.tally(), group.status.barrier())).isTrue();
  }

  @Test
  @Rule("JS-133a")
  void a_running_or_empty_group_waits_for_nobody() {
    var running = new GroupFixture(2).running(0).at(0, 0);
    running.waitingSince = Optional.of(NOW);
    var empty = new GroupFixture(0);
    empty.waitingSince = Optional.of(NOW);
    var gathering = new GroupFixture(2).status(0, 0).at(0, 1);
    gathering.waitingSince = Optional.of(NOW);
    var later = NOW.plusSeconds(60);

    assertThat(running.plan(later).step()).isEqualTo(new Step.Rest(Optional.empty()));
    assertThat(empty.plan(later).step()).isEqualTo(new Step.Rest(Optional.empty()));
    var waiting = ((Step.Rest) gathering.plan(later).step()).waiting().orElseThrow();
    assertThat(waiting.reason().wireName()).isEqualTo("PodsMissing");
    assertThat(waiting.message()).isEqualTo("1 of 2 at attempt 1; waiting for a-w-0-1: no Pod");
  }

  @Test
  @Rule({"JS-28l", "JS-97b"})
  void a_cause_without_a_pod_is_told_by_its_kind() {
    assertThat(Sign.of(Sign.Kind.REQUESTED, "").text()).isEqualTo("Requested");
    assertThat(Sign.of(Sign.Kind.POD_DELETED, "p").text()).isEqualTo("Pod p, PodDeleted");
  }

  @Test
  @Rule({"JS-38a", "JS-120"})
  void numbers_up_to_the_edge_are_read_and_a_lift_may_be_repeated() {
    assertThat(AttemptReport.read("90", null)).isEqualTo(new AttemptReport.At(90));
    assertThat(AttemptReport.read("2147483646", "2147483647"))
        .isEqualTo(new AttemptReport.At(2147483646));
    var barrier = new Barrier(OptionalInt.of(1), OptionalInt.of(0));
    assertThatCode(() -> barrier.lifted(1)).doesNotThrowAnyException();
  }

  @Test
  @Rule({"AS-54", "JS-138", "AS-47", "AS-62"})
  void whatever_ends_a_pod_while_it_runs_restarts_the_group_once() {
    for (var kind :
        List.of(
            Sign.Kind.AGENT_EXITED,
            Sign.Kind.POD_DELETED,
            Sign.Kind.NODE_UNREACHABLE,
            Sign.Kind.RESTART_COUNT_ROSE,
            Sign.Kind.POD_DISRUPTED)) {
      var group = new GroupFixture(2).running(0).allAt(2, 0);
      group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.LIVE, Sign.of(kind, "p1"));
      assertThat(group.step().step()).as("%s", kind).isInstanceOf(Step.Restart.class);
      group.allAt(2, 1);
      assertThat(group.step().step()).isEqualTo(new Step.Lift(1));
      assertThat(group.status.counted()).isEqualTo(OptionalInt.of(1));
    }
  }

  @Test
  @Rule({"AS-70", "JS-150", "JS-152", "JS-28h", "JS-28i"})
  void draft_and_released_agents_share_a_barrier() {
    var group = new GroupFixture(2).running(0);
    group.put("p0", 0, AttemptReport.read("1", null), PodReading.Life.LIVE, null);
    group.put("p1", 1, AttemptReport.read(null, "2"), PodReading.Life.LIVE, null);

    group.step();

    assertThat(group.status.barrier().current()).isEqualTo(OptionalInt.of(1));
    assertThat(group.status.barrier().syncedEpoch()).isEqualTo(2);
    assertThat(group.status.barrier().deprecatedEpoch()).isZero();
  }

  @Test
  @Rule({"AS-72", "JS-131"})
  void waiting_for_a_pod_that_cannot_start_costs_nothing() {
    var group = new GroupFixture(2).at(0, 0);
    for (int i = 0; i < 10; i++) { // the agent at the barrier is restarted again and again
      group.put("p0", 0, new AttemptReport.At(0), PodReading.Life.LIVE, EXIT);
      assertThat(group.step().step()).isEqualTo(new Step.Rest(Optional.empty()));
      group.at(0, 0);
      assertThat(group.step().step()).isEqualTo(new Step.Rest(Optional.empty()));
    }
    assertThat(group.status.counted()).isEqualTo(OptionalInt.of(0));
  }
}
