package dev.regroup.rules.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.group.Barrier;
import dev.regroup.rules.group.GroupStatus;
import dev.regroup.rules.group.InPlaceRestart;
import dev.regroup.rules.group.Sign;
import dev.regroup.rules.pod.CompletedRestart;
import dev.regroup.rules.pod.RestartHistory;
import dev.regroup.rules.progress.KeptCost;
import dev.regroup.rules.progress.ProgramBreak;
import dev.regroup.rules.progress.ProgramLife;
import dev.regroup.rules.progress.RestartCost.Measure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** What a JobSet keeps of what its restarts cost. */
class GroupCostsTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Sign EXITED = Sign.of(Sign.Kind.WORKER_EXITED, "p0", "c", 1);

  @Test
  void the_pods_of_a_restart_tell_its_cost() {
    var status =
        GroupCosts.told(
            group(lifted(1, 100, 300)),
            List.of(
                teller("p0", restart(90, 400, 450, 600)), // the culprit, noticed first
                teller("p1", restart(120, 420, 500, 700))));

    assertThat(cost(status, 0))
        .isEqualTo(new KeptCost(at(90), at(450), at(600), Measure.STEPS, 180, 150));
    assertThat(cost(status, 0).down()).isEqualTo(Duration.ofMillis(360));
    assertThat(cost(status, 0).redone()).isEqualTo(31);
  }

  @Test
  void each_restart_is_told_by_those_that_its_barrier_fell_into() {
    var pods =
        List.of(
            teller("p0", restart(90, 400, 450, 600), restart(5_090, 5_900, 5_950, 5_960)),
            teller("p1", restart(120, 420, 500, 700), restart(5_120, 5_800, 5_990, 5_995)));

    var status = GroupCosts.told(group(lifted(1, 100, 300), lifted(2, 5_100, 5_300)), pods);

    assertThat(cost(status, 0).works()).isEqualTo(at(450));
    assertThat(cost(status, 1).began()).isEqualTo(at(5_090));
    assertThat(cost(status, 1).works()).isEqualTo(at(5_950));
  }

  @Test
  void a_pod_that_was_made_anew_has_its_first_start_in_it() {
    var replaced = new ProgramLife(at(2_000), at(2_200), at(2_200), null);

    var status =
        GroupCosts.told(
            group(lifted(1, 100, 300)),
            List.of(
                teller("p1", restart(120, 420, 500, 700)),
                new GroupCosts.Teller("p0", RestartHistory.NONE.with(replaced))));

    assertThat(cost(status, 0).works()).isEqualTo(at(2_000)); // the last one runs
  }

  @Test
  void what_is_known_stays_when_the_pods_are_gone() {
    var known =
        GroupCosts.told(
            group(lifted(1, 100, 300)), List.of(teller("p0", restart(90, 400, 450, 600))));

    assertThat(GroupCosts.told(known, List.of())).isEqualTo(known);
  }

  @Test
  void a_restart_whose_barrier_stands_has_no_cost_yet() {
    var under = group(new InPlaceRestart(1, at(100), null, EXITED, true));

    assertThat(GroupCosts.told(under, List.of(teller("p0", restart(90, 400, 450, 600)))))
        .isEqualTo(under);
  }

  @Test
  void an_old_pod_that_did_not_restart_has_no_part_in_it() {
    var old = new ProgramLife(at(-9_000), at(-8_000), at(50), null);

    var status =
        GroupCosts.told(
            group(lifted(1, 100, 300)),
            List.of(new GroupCosts.Teller("p0", RestartHistory.NONE.with(old))));

    assertThat(status.restarts().getFirst().cost()).isNull();
  }

  private static KeptCost cost(GroupStatus status, int index) {
    var cost = status.restarts().get(index).cost();
    assertThat(cost).isNotNull();
    return cost;
  }

  private static InPlaceRestart lifted(int attempt, long started, long lifted) {
    return new InPlaceRestart(attempt, at(started), at(lifted), EXITED, true);
  }

  private static GroupStatus group(InPlaceRestart... restarts) {
    return new GroupStatus(
        Barrier.UNSET, OptionalInt.of(1), 0, List.of(restarts), Optional.empty());
  }

  private static GroupCosts.Teller teller(String pod, CompletedRestart... restarts) {
    return new GroupCosts.Teller(pod, new RestartHistory(restarts.length, List.of(restarts)));
  }

  private static CompletedRestart restart(long noticed, long running, long output, long back) {
    return new CompletedRestart(
        1,
        Map.of(
            Moment.NOTICED,
            at(noticed),
            Moment.RUNNING,
            at(running),
            Moment.FIRST_OUTPUT,
            at(output),
            Moment.CAUGHT_UP,
            at(back)),
        new ProgramBreak(null, 180, 150));
  }

  private static Instant at(long millis) {
    return START.plusMillis(millis);
  }
}
