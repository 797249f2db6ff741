package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a group is looked at, and since when something is so. */
class WakeTest {

  private static final Instant NOW = GroupFixture.NOW;
  private static final GroupTimes WAITING =
      new GroupTimes(Optional.empty(), Optional.of(NOW), Optional.empty());
  private static final Sign EXIT = Sign.of(Sign.Kind.WORKER_EXITED, "p1", "worker", 1);

  private static Wake wake(GroupFixture group) {
    return wake(group, GroupTimes.NONE);
  }

  private static Wake wake(GroupFixture group, GroupTimes times) {
    return Wake.of(group.counters.tally(), group.status.barrier(), times);
  }

  private static PodReading reading(AttemptReport report, @Nullable Sign sign, String trouble) {
    return new PodReading(
        "p1",
        "p1",
        "a-w-0",
        OptionalInt.of(1),
        report,
        PodReading.Life.LIVE,
        sign,
        0,
        false,
        null,
        trouble);
  }

  @Test
  @Rule({"JS-156", "AS-45"})
  void a_group_that_runs_sleeps() {
    assertThat(wake(new GroupFixture(2).running(0).allAt(2, 0))).isEqualTo(Wake.NO);
  }

  @Test
  @Rule({"JS-159", "JS-160"})
  void a_failure_in_the_running_attempt_wakes_it_at_once() {
    var group = new GroupFixture(2).running(0).allAt(2, 0);
    group.counters.put(reading(new AttemptReport.At(0), EXIT, ""));

    assertThat(wake(group)).isEqualTo(Wake.NOW);
  }

  @Test
  @Rule({"JS-120", "JS-159"})
  void a_pod_that_is_back_ahead_wakes_it_at_once_also_if_it_fails_again() {
    var group = new GroupFixture(2).running(0).allAt(2, 0).at(1, 1);
    assertThat(wake(group)).isEqualTo(Wake.NOW);

    group.counters.put(reading(new AttemptReport.At(1), EXIT, ""));
    assertThat(wake(group)).isEqualTo(Wake.NOW);
  }

  @Test
  @Rule({"JS-118", "JS-159"})
  void the_last_arrival_wakes_it_at_once() {
    var gathering = new GroupFixture(2).status(0, 0).allAt(2, 0).at(0, 1);
    assertThat(wake(gathering, WAITING)).isEqualTo(Wake.NO);
    assertThat(wake(gathering.at(1, 1), WAITING)).isEqualTo(Wake.NOW);
    assertThat(wake(new GroupFixture(2).allAt(2, 0))).isEqualTo(Wake.NOW);
  }

  @Test
  @Rule("JS-133a")
  void the_first_arrival_begins_the_wait() {
    assertThat(wake(new GroupFixture(2))).isEqualTo(Wake.NO);
    assertThat(wake(new GroupFixture(2).at(0, 0))).isEqualTo(Wake.SOON);
    assertThat(wake(new GroupFixture(2).at(0, 0), WAITING)).isEqualTo(Wake.NO);
  }

  @Test
  @Rule("JS-133")
  void arrivals_are_looked_at_where_one_replicated_job_waits_for_another() {
    var group = new GroupFixture(2);
    group.counters.expect(
        new Roster(
            List.of(
                new Roster.Entry("v", List.of("a-v-0"), 1, Roster.Places.INDEXED),
                new Roster.Entry("w", List.of("a-w-0"), 2, Roster.Places.INDEXED))));

    assertThat(wake(group.at(0, 0), WAITING)).isEqualTo(Wake.SOON);
  }

  @Test
  @Rule({"JS-133a", "RAC-54"})
  void a_pod_that_cannot_start_is_looked_at() {
    var group = new GroupFixture(2).at(0, 0);
    group.counters.put(reading(AttemptReport.NONE, null, "ErrImagePull"));

    assertThat(wake(group, WAITING)).isEqualTo(Wake.SOON);
  }

  @Test
  @Rule({"JS-140", "JS-141"})
  void a_report_nobody_can_have_written_is_looked_at_in_time() {
    var tooHigh = new GroupFixture(2).running(0).allAt(2, 0).at(1, 5);
    var corrupt = new GroupFixture(2).running(0).allAt(2, 0);
    corrupt.counters.put(reading(new AttemptReport.Corrupt("x"), null, ""));

    assertThat(wake(tooHigh)).isEqualTo(Wake.SOON);
    assertThat(wake(corrupt)).isEqualTo(Wake.SOON);
  }

  @Test
  @Rule("JS-160b")
  void while_a_job_fails_nothing_is_urgent() {
    var group = new GroupFixture(2).running(0).allAt(2, 1);
    group.counters.judge("a-w-0", JobState.FAILING);

    assertThat(wake(group)).isEqualTo(Wake.SOON);
  }

  // ---- times ------------------------------------------------------------------------------------

  private static GroupTimes look(GroupTimes times, GroupFixture group, Instant now) {
    return times.look(group.counters.tally(), group.status.barrier(), now);
  }

  @Test
  @Rule("JS-133a")
  void a_wait_lasts_from_the_first_arrival_to_the_lift() {
    var group = new GroupFixture(2);
    var empty = look(GroupTimes.NONE, group, NOW);
    var first = look(empty, group.at(0, 0), NOW.plusSeconds(1));
    group.counters.remove("p0");
    var later = look(first, group, NOW.plusSeconds(2));
    var lifted = look(later, group.running(0), NOW.plusSeconds(3));

    assertThat(empty.waitingSince()).isEmpty();
    assertThat(first.waitingSince()).contains(NOW.plusSeconds(1));
    assertThat(later.waitingSince()).contains(NOW.plusSeconds(1));
    assertThat(lifted.waitingSince()).isEmpty();
  }

  @Test
  @Rule("JS-140")
  void an_odd_report_is_timed_while_it_is_there() {
    var group = new GroupFixture(2).running(0).allAt(2, 0);
    var fine = look(GroupTimes.NONE, group, NOW);
    var odd = look(fine, group.at(1, 5), NOW.plusSeconds(1));
    var still = look(odd, group, NOW.plusSeconds(2));
    var over = look(still, group.at(1, 0), NOW.plusSeconds(3));

    assertThat(fine.oddSince()).isEmpty();
    assertThat(odd.oddSince()).contains(NOW.plusSeconds(1));
    assertThat(still.oddSince()).contains(NOW.plusSeconds(1));
    assertThat(over.oddSince()).isEmpty();
  }

  @Test
  @Rule({"JS-139", "JS-160"})
  void an_attempt_began_when_its_status_says_or_when_it_was_first_seen() {
    var first = new GroupFixture(1).running(0).status;
    var raised = first.raised(EXIT, true, NOW);
    var lifted = raised.lifted(1, NOW.plusSeconds(5));
    var seen = GroupTimes.NONE.follow(GroupStatus.UNSET, first, NOW.plusSeconds(1));

    assertThat(seen.liftedAt()).contains(NOW.plusSeconds(1));
    assertThat(seen.follow(first, raised, NOW.plusSeconds(9))).isEqualTo(seen);
    assertThat(seen.follow(raised, lifted, NOW.plusSeconds(9)).liftedAt())
        .contains(NOW.plusSeconds(5));
    assertThat(GroupTimes.NONE.follow(GroupStatus.UNSET, raised, NOW.plusSeconds(9)).liftedAt())
        .contains(NOW.plusSeconds(9));
  }
}
