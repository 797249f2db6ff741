package dev.regroup.rules.group;

import static dev.regroup.rules.group.GroupFixture.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.group.GroupPlan.Step;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who is named as the cause of a group restart, in whatever order the news came. */
class CulpritTest {

  private static Sign exit(String pod, int code, int second) {
    return Sign.of(Sign.Kind.ALL_CONTAINERS_RESTARTING, pod, "worker", code)
        .since(NOW.plusSeconds(second));
  }

  /** A pod that came to this attempt by itself and remembers why. */
  private static void back(GroupFixture group, int index, int attempt, @Nullable Sign past) {
    var name = "p" + index;
    group.counters.put(
        new PodReading(
            name,
            name,
            World.JOB,
            OptionalInt.of(index),
            new AttemptReport.At(attempt),
            PodReading.Life.LIVE,
            null,
            0,
            false,
            past,
            ""));
  }

  private static Sign cause(GroupPlan plan) {
    return switch (plan.step()) {
      case Step.Restart(Sign cause, _) -> cause;
      case Step.Lift _ -> plan.status().restarts().getLast().cause();
      case Step.Rest _, Step.Recreate _, Step.Fail _ ->
          throw new AssertionError("no restart: " + plan.step());
    };
  }

  @Test
  @Rule({"JS-160", "AS-82"})
  void a_pod_that_is_back_already_names_its_own_cause() {
    var group = new GroupFixture(3).allAt(3, 0).running(0);
    back(group, 1, 1, exit("p1", 17, 5));

    var plan = group.plan();

    assertThat(cause(plan)).isEqualTo(exit("p1", 17, 5));
    assertThat(plan.notes().getFirst().message())
        .isEqualTo("in-place restart to attempt 1 (Pod p1, container worker, exit code 17)");
  }

  @Test
  @Rule("JS-149a")
  void of_several_that_are_back_the_first_to_fail_is_named() {
    var group = new GroupFixture(3).allAt(3, 0).running(0);
    back(group, 2, 1, exit("p2", 9, 8));
    back(group, 0, 1, exit("p0", 23, 5));

    assertThat(cause(group.plan())).isEqualTo(exit("p0", 23, 5));
  }

  @Test
  @Rule("JS-149a")
  void a_failure_that_shows_is_named_when_it_came_before_one_that_is_back() {
    var group = new GroupFixture(3).allAt(3, 0).running(0);
    back(group, 2, 1, exit("p2", 9, 8));
    group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.LIVE, exit("p1", 3, 4));
    assertThat(cause(group.plan())).isEqualTo(exit("p1", 3, 4));

    back(group, 0, 1, exit("p0", 7, 4)); // the same second: who is back has failed before

    assertThat(cause(group.plan())).isEqualTo(exit("p0", 7, 4));
  }

  @Test
  @Rule("JS-160")
  void of_failures_in_one_second_the_first_that_was_seen_is_named() {
    var group = new GroupFixture(3).allAt(3, 0).running(0);
    group.put("p2", 2, new AttemptReport.At(0), PodReading.Life.LIVE, exit("p2", 1, 4));
    group.put("p0", 0, new AttemptReport.At(0), PodReading.Life.LIVE, exit("p0", 1, 4));

    assertThat(cause(group.plan())).isEqualTo(exit("p2", 1, 4));
  }

  /** The order cannot wait for everybody's news; what is told afterwards can be right. */
  @Test
  @Rule("JS-149a")
  void who_failed_first_is_named_when_the_barrier_lifts_though_heard_of_later() {
    var group = new GroupFixture(3).allAt(3, 0).running(0);
    var heard = exit("p2", 1, 0).since(NOW.minusNanos(3_000_000));
    var first = exit("p1", 7, 0).since(NOW.minusNanos(4_000_000));
    group.put("p2", 2, new AttemptReport.At(0), PodReading.Life.LIVE, heard);
    group.status = group.plan().status();
    assertThat(group.status.restarts().getLast().cause()).isEqualTo(heard);
    back(group, 0, 1, null);
    back(group, 1, 1, first);
    back(group, 2, 1, heard);

    var plan = group.plan();

    assertThat(cause(plan)).isEqualTo(first);
    assertThat(plan.notes().getLast().message())
        .endsWith("; the first to fail was Pod p1, container worker, exit code 7");
  }

  /** A whole second says nothing about who was first within it. */
  @Test
  @Rule("JS-149a")
  void who_was_heard_of_first_stays_the_cause_where_times_are_whole_seconds() {
    var group = new GroupFixture(2).allAt(2, 0).running(0);
    var heard = exit("p1", 1, 0);
    group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.LIVE, heard);
    group.status = group.plan().status();
    back(group, 0, 1, exit("p0", 7, -1));
    back(group, 1, 1, heard);

    assertThat(cause(group.plan())).isEqualTo(heard);
  }

  @Test
  @Rule("JS-160")
  void what_was_seen_of_a_place_is_named_when_its_pod_remembers_nothing() {
    var group = new GroupFixture(2).allAt(2, 0).running(0);
    var deleted = Sign.of(Sign.Kind.POD_DELETED, "p1");
    group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.DEAD, deleted);
    group.counters.remove("p1");

    group.put("q1", 1, new AttemptReport.At(1), PodReading.Life.LIVE, null);

    assertThat(cause(group.plan())).isEqualTo(deleted);
  }

  @Test
  @Rule("JS-160")
  void nobody_is_named_for_what_happened_an_attempt_earlier() {
    var group = new GroupFixture(2).allAt(2, 0).running(0);
    group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.LIVE, exit("p1", 1, 4));
    group.allAt(2, 1).running(1);

    back(group, 0, 2, null);

    assertThat(cause(group.plan())).isEqualTo(Sign.of(Sign.Kind.CAME_BACK_AHEAD, "p0"));
  }

  @Test
  @Rule({"JS-118", "AS-82"})
  void a_group_that_came_back_as_a_whole_names_who_failed_first() {
    var group = new GroupFixture(2).allAt(2, 0).running(0);
    back(group, 0, 1, exit("p0", 1, 9));
    back(group, 1, 1, exit("p1", 5, 2));

    var plan = group.plan();

    assertThat(plan.step()).isEqualTo(new Step.Lift(1));
    assertThat(cause(plan)).isEqualTo(exit("p1", 5, 2));
    assertThat(plan.notes())
        .extracting(GroupPlan.Note::kind)
        .containsExactly(
            GroupPlan.Note.Kind.IN_PLACE_RESTART_STARTED,
            GroupPlan.Note.Kind.IN_PLACE_RESTART_COMPLETED);
  }

  @Test
  @Rule("JS-160b")
  void a_step_names_the_job_it_holds_against_the_group() {
    var group = new GroupFixture(2).allAt(2, 0).running(0);
    group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.LIVE, exit("p1", 1, 4));
    assertThat(group.plan().suspect()).contains(World.JOB);

    group.maxRestarts = 0;
    assertThat(group.plan().step()).isEqualTo(new Step.Fail());
    assertThat(group.plan().suspect()).contains(World.JOB);

    group.allAt(2, 1); // all are back: the budget is spent all the same
    assertThat(group.plan().step()).isEqualTo(new Step.Fail());
    assertThat(group.plan().suspect()).contains(World.JOB);
  }

  @Test
  @Rule("JS-160b")
  void nothing_moves_while_a_job_fails() {
    var group = new GroupFixture(2).allAt(2, 0).running(0);
    group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.LIVE, exit("p1", 1, 4));
    group.counters.judge(World.JOB, JobState.FAILING);
    assertThat(group.plan().step()).isInstanceOf(Step.Rest.class);
    assertThat(group.counters.tally().signs()).isEmpty();

    group.counters.judge(World.JOB, JobState.RUNNING); // it goes on after all

    assertThat(group.plan().step()).isInstanceOf(Step.Restart.class);
  }

  @Test
  @Rule("JS-160b")
  void pods_that_go_because_their_job_says_so_are_no_signs() {
    var group = new GroupFixture(2).allAt(2, 0).running(0);
    group.counters.judge(World.JOB, JobState.LEAVING);
    var deleted = Sign.of(Sign.Kind.POD_DELETED, "p1");

    group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.DEAD, deleted);
    assertThat(group.plan().step()).isInstanceOf(Step.Rest.class);
    group.counters.remove("p1");

    assertThat(group.plan().step()).isInstanceOf(Step.Rest.class);
  }

  @Test
  @Rule({"JS-160b", "JS-134"})
  void a_place_its_job_gives_up_is_no_sign_but_cannot_run_again() {
    var group = new GroupFixture(2).allAt(2, 0).running(0);
    group.put("p1", 1, new AttemptReport.At(0), PodReading.Life.GIVEN_UP, null);
    assertThat(group.plan().step()).isInstanceOf(Step.Rest.class);

    var exit = exit("p0", 1, 4);
    group.put("p0", 0, new AttemptReport.At(0), PodReading.Life.LIVE, exit);

    assertThat(group.plan().step()).isEqualTo(new Step.Recreate(exit, true));
  }

  @Test
  @Rule("JS-155")
  void a_tally_stays_as_it_was_taken() {
    var group = new GroupFixture(2).at(0, 0);
    var tally = group.counters.tally();
    var ready = tally.ready().get("w");

    group.at(1, 0);

    assertThat(ready).isEqualTo(tally.ready().get("w")).containsEntry(0, 1);
  }

  @Test
  @Rule("JS-135a")
  void a_pod_without_an_index_counts_for_nothing_in_an_indexed_job() {
    var group = new GroupFixture(2).allAt(2, 0);
    group.counters.put(
        new PodReading(
            "7",
            "odd",
            World.JOB,
            OptionalInt.empty(),
            new AttemptReport.At(5),
            PodReading.Life.LIVE,
            null,
            0,
            false));

    assertThat(group.counters.tally().inStep()).isEqualTo(OptionalInt.of(0));
    assertThat(group.counters.remove("7")).isTrue();
    assertThat(group.counters.tally().signs()).isEmpty();
  }

  @Test
  @Rule({"RAC-54", "JS-133a", "ACC-091a"})
  void a_pod_that_cannot_start_is_named_at_once_with_the_reason() {
    var group = new GroupFixture(2).at(0, 0);
    group.counters.put(
        new PodReading(
            "p1",
            "p1",
            World.JOB,
            OptionalInt.of(1),
            AttemptReport.NONE,
            PodReading.Life.LIVE,
            null,
            0,
            false,
            null,
            "CrashLoopBackOff (container agent exited with code 1)"));

    assertThat(group.plan().step())
        .isEqualTo(
            new Step.Rest(
                java.util.Optional.of(
                    new GroupPlan.Waiting(
                        GroupPlan.Waiting.Reason.PODS_MISSING,
                        "1 of 2 at attempt 0; waiting for p1: CrashLoopBackOff"
                            + " (container agent exited with code 1)"))));
  }

  @Test
  void unknown_times_come_last() {
    var culprits = new Culprits();
    var slot = SlotId.indexed(World.JOB, 0);
    culprits.put(0, new Failure(slot, Sign.of(Sign.Kind.POD_DELETED, "a")));
    culprits.put(0, new Failure(SlotId.indexed(World.JOB, 1), exit("b", 1, 3)));
    assertThat(culprits.first().get(0).sign().pod()).isEqualTo("b");

    culprits.remove(0, SlotId.indexed(World.JOB, 1));
    culprits.remove(0, slot);

    assertThat(culprits.first()).isEmpty();
  }
}
