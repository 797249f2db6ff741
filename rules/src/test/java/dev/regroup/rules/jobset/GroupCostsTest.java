package dev.regroup.rules.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.group.Barrier;
import dev.regroup.rules.group.GroupStatus;
import dev.regroup.rules.group.InPlaceRestart;
import dev.regroup.rules.group.Sign;
import dev.regroup.rules.jobset.GroupCosts.Teller;
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
        told(
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

    var status = told(group(lifted(1, 100, 300), lifted(2, 5_100, 5_300)), pods);

    assertThat(cost(status, 0).works()).isEqualTo(at(450));
    assertThat(cost(status, 1).began()).isEqualTo(at(5_090));
    assertThat(cost(status, 1).works()).isEqualTo(at(5_950));
  }

  /** Two failures in a row: what came up in between and wrote nothing was never at work. */
  @Test
  void a_group_that_writes_nothing_until_it_restarts_again_is_down_until_then() {
    var pods =
        List.of(
            teller("p0", silent(90, 400), restart(5_090, 5_900, 5_950, 5_960)),
            teller("p1", silent(120, 420), restart(5_120, 5_800, 5_990, 5_995)));

    var status = told(group(lifted(1, 100, 300), lifted(2, 5_100, 5_300)), pods);

    assertThat(cost(status, 0).works()).isEqualTo(at(5_100));
    assertThat(cost(status, 1).works()).isEqualTo(at(5_950));
  }

  @Test
  void a_pod_that_was_made_anew_has_its_first_start_in_it() {
    var replaced = new ProgramLife(at(2_000), at(2_200), at(2_200), null);

    var status =
        told(
            group(lifted(1, 100, 300)),
            List.of(
                teller("p1", restart(120, 420, 500, 700)),
                new Teller("p0", true, RestartHistory.NONE.with(replaced))));

    assertThat(cost(status, 0).works()).isEqualTo(at(2_000)); // the last one runs
  }

  @Test
  void what_is_known_stays_when_the_pods_are_gone() {
    var known = told(group(lifted(1, 100, 300)), List.of(teller("p0", restart(90, 400, 450, 600))));

    assertThat(told(known, List.of())).isEqualTo(known);
  }

  @Test
  void a_restart_whose_barrier_stands_has_no_cost_yet() {
    var under = group(new InPlaceRestart(1, at(100), null, EXITED, true));

    assertThat(told(under, List.of(teller("p0", restart(90, 400, 450, 600))))).isEqualTo(under);
  }

  @Test
  void an_old_pod_that_did_not_restart_has_no_part_in_it() {
    var old = new ProgramLife(at(-9_000), at(-8_000), at(50), null);

    var status =
        told(
            group(lifted(1, 100, 300)),
            List.of(new Teller("p0", true, RestartHistory.NONE.with(old))));

    assertThat(status.group().restarts().getFirst().cost()).isNull();
  }

  @Test
  void nothing_is_said_while_a_pod_of_the_group_is_still_to_tell() {
    var group = group(lifted(1, 100, 300));
    var all = List.of(teller("p0", restart(90, 400, 450, 600)), teller("p1"));

    assertThat(told(group, all)).isEqualTo(group);
    assertThat(cost(told(group, List.of(all.getFirst(), gone(all.getLast()))), 0).works())
        .isEqualTo(at(450)); // nobody waits for one that ended
    assertThat(cost(told(completed(group), all), 0).works()).isEqualTo(at(450));
  }

  @Test
  void a_restart_is_told_once_when_the_first_program_speaks() {
    var before = group(lifted(1, 100, 300));
    var ran = List.of(teller("p0", silent(90, 400)), teller("p1", silent(120, 420)));
    var spoke = List.of(teller("p0", restart(90, 400, 450, 600)), teller("p1", silent(120, 420)));

    assertThat(news(before, before, ran)).isEmpty();
    assertThat(news(told(before, ran), before, spoke))
        .containsExactly(
            "cost-1: in-place restart to attempt 1 cost 0.36s: until noticed 0.03s, lifted 0.18s,"
                + " running 0.12s, first output 0.03s; slowest p1");
    assertThat(news(told(before, spoke), told(before, spoke), spoke)).isEmpty();
  }

  @Test
  void a_program_that_says_nothing_is_told_of_when_nobody_waits_for_it_any_more() {
    var first = group(lifted(1, 100, 300));
    var ran = List.of(teller("p0", silent(90, 400)));
    var known = told(first, ran);
    String one =
        "cost-1: in-place restart to attempt 1 cost 0.31s: until lifted 0.21s,"
            + " running 0.10s; slowest p0; the programs wrote nothing, so it ends when they ran";

    assertThat(news(known, known, ran)).isEmpty();
    assertThat(news(known, completed(known), ran)).containsExactly(one);
    var again = new InPlaceRestart(2, at(5_100), at(5_300), EXITED, true);
    var next = group(known.group().restarts().getFirst(), again);
    var both = List.of(teller("p0", silent(90, 400), silent(5_090, 5_400)));
    assertThat(news(known, next, both)).containsExactly(one);
  }

  @Test
  void a_figure_that_was_told_stays_and_the_way_back_comes_to_it() {
    var spoke =
        new CompletedRestart(
            1,
            Map.of(Moment.NOTICED, at(90), Moment.RUNNING, at(400), Moment.FIRST_OUTPUT, at(450)));
    var known = told(group(lifted(1, 100, 300)), List.of(teller("p0", spoke)));

    var later = // whoever knew more of the beginning is gone
        told(known, List.of(teller("p0", restart(110, 400, 440, 600))));

    assertThat(cost(later, 0))
        .isEqualTo(new KeptCost(at(90), at(450), at(600), Measure.STEPS, 180, 150));
  }

  @Test
  void when_the_pods_are_gone_the_stages_are_not_told() {
    var known = told(group(lifted(1, 100, 300)), List.of(gone(teller("p0", silent(90, 400)))));

    assertThat(news(known, completed(known), List.of()))
        .containsExactly(
            "cost-1: in-place restart to attempt 1 cost 0.31s; the programs wrote nothing, so it"
                + " ends when they ran");
  }

  @Test
  void a_plan_with_nothing_else_to_write_writes_when_a_cost_is_news() {
    var status = group(lifted(1, 100, 300));
    var quiet = plan(status, JobSetPlan.Write.NOTHING);
    var pods = List.of(teller("p0", restart(90, 400, 450, 600)));

    assertThat(quiet.tellsCosts(false)).isFalse();
    assertThat(quiet.tellsCosts(true)).isTrue();
    assertThat(plan(status, JobSetPlan.Write.ORDER).tellsCosts(true)).isFalse();
    assertThat(quiet.withCosts(status, pods).write()).isEqualTo(JobSetPlan.Write.NOW);
    var again = quiet.withCosts(quiet.withCosts(status, pods).status(), pods);
    assertThat(again.write()).isEqualTo(JobSetPlan.Write.NOTHING);
    assertThat(again.notes()).isEmpty();
  }

  private static JobSetPlan plan(JobSetStatus status, JobSetPlan.Write write) {
    var running = status.withGroup(running(status.group()));
    return new JobSetPlan(List.of(), running, write, List.of(), Instant.MAX, Optional.empty());
  }

  private static GroupStatus running(GroupStatus group) {
    return new GroupStatus(
        new Barrier(OptionalInt.of(1), OptionalInt.of(0)),
        group.counted(),
        0,
        group.restarts(),
        Optional.empty());
  }

  @Test
  void the_cost_is_due_when_all_have_told_and_one_has_spoken() {
    var costs = new CostNews();
    var one = lifted(1, 100, 300);

    assertThat(costs.follow(Optional.empty())).isFalse();
    assertThat(costs.follow(GroupCosts.open(group(one)))).isTrue();
    assertThat(costs.follow(Optional.of(one))).isFalse();
    costs.owes("a");
    costs.put("b", teller("p1"));
    costs.put("a", teller("p0", restart(90, 400, 450, 600)));
    assertThat(costs.due()).isFalse();
    costs.put("b", teller("p1", silent(120, 420)));
    assertThat(costs.due()).isTrue();
    costs.owes("c");
    assertThat(costs.due()).isFalse();
    costs.forget("c");
    assertThat(costs.due()).isTrue();
    costs.put("a", teller("p0", silent(90, 400)));
    assertThat(costs.due()).isFalse(); // nobody has spoken
    var known = told(group(one), List.of(teller("p0", restart(90, 400, 450, 600))));
    assertThat(costs.follow(GroupCosts.open(known))).isFalse();
    assertThat(costs.listens()).isFalse();
  }

  private static KeptCost cost(JobSetStatus status, int index) {
    var cost = status.group().restarts().get(index).cost();
    assertThat(cost).isNotNull();
    return cost;
  }

  private static InPlaceRestart lifted(int attempt, long started, long lifted) {
    return new InPlaceRestart(attempt, at(started), at(lifted), EXITED, true);
  }

  private static JobSetStatus group(InPlaceRestart... restarts) {
    return JobSetStatus.EMPTY.withGroup(
        new GroupStatus(Barrier.UNSET, OptionalInt.of(1), 0, List.of(restarts), Optional.empty()));
  }

  private static JobSetStatus told(JobSetStatus status, List<Teller> pods) {
    return GroupCosts.told(status, pods);
  }

  private static JobSetStatus completed(JobSetStatus status) {
    return status.with(JobSetStatus.Type.COMPLETED, true, "AllJobsCompleted", "", at(99_000));
  }

  /** What is told when this status follows the other one. */
  private static List<String> news(JobSetStatus written, JobSetStatus next, List<Teller> pods) {
    return GroupCosts.news(written, told(next, pods), pods).stream()
        .map(note -> note.id() + ": " + note.message())
        .toList();
  }

  private static Teller teller(String pod, CompletedRestart... restarts) {
    return new Teller(pod, true, new RestartHistory(restarts.length, List.of(restarts)));
  }

  private static Teller gone(Teller pod) {
    return new Teller(pod.pod(), false, pod.history());
  }

  /** Of a program that says nothing. */
  private static CompletedRestart silent(long noticed, long running) {
    return new CompletedRestart(
        1, Map.of(Moment.NOTICED, at(noticed), Moment.RUNNING, at(running)));
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
