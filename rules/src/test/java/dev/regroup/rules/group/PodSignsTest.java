package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.group.GroupPod.Container;
import dev.regroup.rules.group.GroupPod.Ended;
import dev.regroup.rules.group.GroupPod.Meaning;
import dev.regroup.rules.group.GroupPod.Role;
import dev.regroup.rules.group.PodSigns.After;
import dev.regroup.rules.group.PodSigns.NodeState;
import dev.regroup.rules.job.JobPod;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The table of signs, row by row; pods of the node agent and of an agent beside the workers. */
class PodSignsTest {

  private static final Instant LIFT = Instant.parse("2026-01-01T00:00:10.500Z");
  private static final Instant BEFORE = Instant.parse("2026-01-01T00:00:10Z");
  private static final Instant SINCE = Instant.parse("2026-01-01T00:00:11Z");
  private static final String NAMED = "Container side exited with code 7, triggering pod restart";
  private static final String ORDERED = "Pod is at attempt 0, the group moves on to 1";

  /** A pod of a running group at attempt 1, with nothing wrong. */
  private static final class Pod {
    GroupPod.Agent agent = GroupPod.Agent.NODE;
    AttemptReport report = new AttemptReport.At(1);
    GroupPod.End end = GroupPod.End.NONE;
    boolean deleting;
    boolean disrupted;
    boolean ready = true;
    JobPod.Phase phase = JobPod.Phase.RUNNING;
    Optional<GroupPod.Restarting> restarting = Optional.empty();
    List<Container> containers = List.of(up("worker", Role.WORKER, 0));
    OptionalInt current = OptionalInt.of(1);
    NodeState node = NodeState.REACHABLE;
    After after = After.REPLACES_IT;
    Baseline baseline = Baseline.NONE;

    Pod(GroupPod.Agent agent) {
      this.agent = agent;
    }

    Pod() {}

    Pod with(Container... all) {
      containers = List.of(all);
      return this;
    }

    Pod at(int attempt) {
      report = new AttemptReport.At(attempt);
      return this;
    }

    Pod restarting(Instant since, String text) {
      restarting = Optional.of(new GroupPod.Restarting(since, text));
      return this;
    }

    PodReading read() {
      var group =
          new GroupPod(
              "a",
              report,
              agent,
              end,
              deleting,
              deleting ? SINCE : null,
              disrupted,
              restarting,
              containers);
      var member =
          new JobPod(
              "u",
              "p",
              OptionalInt.of(3),
              phase,
              deleting,
              true,
              ready,
              null,
              true,
              JobPod.Restarts.NONE,
              BEFORE,
              BEFORE,
              List.of(),
              List.of(),
              0,
              0,
              true);
      var seen =
          PodSigns.read(
              "a-w-0", group, member, new PodSigns.Situation(current, LIFT, node, after), baseline);
      baseline = seen.baseline();
      return seen.reading();
    }

    @Nullable Sign sign() {
      return read().sign();
    }
  }

  private static Container up(String name, Role role, int count) {
    return new Container(name, role, count, true, Optional.empty(), Optional.empty(), "");
  }

  private static Container back(String name, Role role, int count, Ended last) {
    return new Container(name, role, count, true, Optional.empty(), Optional.of(last), "");
  }

  private static Container ended(String name, Role role, Ended end) {
    return new Container(name, role, 0, false, Optional.of(end), Optional.empty(), "");
  }

  private static Container waits(String name, Role role, String why, @Nullable Ended last) {
    return new Container(name, role, 1, false, Optional.empty(), Optional.ofNullable(last), why);
  }

  private static Ended end(int code, Meaning meaning, @Nullable Instant at) {
    return new Ended(code, meaning, false, "", at);
  }

  private static Ended fatal(int code, @Nullable Instant at) {
    return end(code, Meaning.FAILS_POD, at);
  }

  private static Ended cycle(int code, String text, @Nullable Instant at) {
    return new Ended(code, Meaning.FAILS_POD, true, text, at);
  }

  private static Sign of(Sign.Kind kind) {
    return Sign.of(kind, "p");
  }

  private static Sign exit(Sign.Kind kind, String container, int code) {
    return Sign.of(kind, "p", container, code);
  }

  // ---- the pod as a whole -----------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  @Rule({"JS-156", "JS-160"})
  void a_pod_that_runs_shows_no_sign(GroupPod.Agent agent) {
    var reading = new Pod(agent).read();

    assertThat(reading)
        .isEqualTo(
            new PodReading(
                "u",
                "p",
                "a-w-0",
                OptionalInt.of(3),
                new AttemptReport.At(1),
                PodReading.Life.LIVE,
                null,
                0,
                agent == GroupPod.Agent.NODE,
                null,
                ""));
  }

  @Test
  @Rule("JS-133a")
  void an_agent_runs_when_its_container_and_its_pod_do() {
    var sidecar = new Pod(GroupPod.Agent.OTHER).with(up("agent", Role.AGENT, 0));
    assertThat(sidecar.read().agentRunning()).isTrue();
    assertThat(sidecar.with(waits("agent", Role.AGENT, "", null)).read().agentRunning()).isFalse();

    var node = new Pod();
    node.phase = JobPod.Phase.PENDING;
    assertThat(node.read().agentRunning()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"JS-160", "JS-149b"})
  void a_failed_pod_names_the_worker_that_failed(GroupPod.Agent agent) {
    var pod = new Pod(agent).with(ended("worker", Role.WORKER, fatal(3, BEFORE)));
    pod.end = GroupPod.End.FAILED;

    assertThat(pod.read().life()).isEqualTo(PodReading.Life.DEAD);
    assertThat(pod.sign()).isEqualTo(exit(Sign.Kind.POD_FAILED, "worker", 3).since(BEFORE));
    assertThat(pod.with().sign()).isEqualTo(of(Sign.Kind.POD_FAILED));
  }

  @Test
  @Rule({"JS-160", "JS-160b", "JS-134"})
  void a_pod_that_is_over_for_good_is_no_failure() {
    var succeeded = new Pod();
    succeeded.end = GroupPod.End.SUCCEEDED;
    succeeded.deleting = true;
    var givenUp = new Pod();
    givenUp.end = GroupPod.End.FAILED;
    givenUp.after = After.GIVES_UP_ITS_INDEX;

    assertThat(succeeded.read().life()).isEqualTo(PodReading.Life.SUCCEEDED);
    assertThat(succeeded.sign()).isNull();
    assertThat(givenUp.read().life()).isEqualTo(PodReading.Life.GIVEN_UP);
    assertThat(givenUp.sign()).isNull();
  }

  @Test
  @Rule("JS-160b")
  void a_living_pod_is_not_given_up_whatever_its_job_would_do() {
    var pod = new Pod();
    pod.after = After.GIVES_UP_ITS_INDEX;

    assertThat(pod.read().life()).isEqualTo(PodReading.Life.LIVE);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"JS-135", "JS-160", "AS-47"})
  void a_deleted_pod_has_failed(GroupPod.Agent agent) {
    var pod = new Pod(agent).with(ended("worker", Role.WORKER, fatal(3, SINCE)));
    pod.deleting = true;

    assertThat(pod.read().life()).isEqualTo(PodReading.Life.DEAD);
    assertThat(pod.sign()).isEqualTo(of(Sign.Kind.POD_DELETED).since(SINCE));
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"JS-136", "JS-160"})
  void a_disrupted_pod_has_failed(GroupPod.Agent agent) {
    var pod = new Pod(agent);
    pod.disrupted = true;

    assertThat(pod.sign()).isEqualTo(of(Sign.Kind.POD_DISRUPTED));
    assertThat(pod.read().life()).isEqualTo(PodReading.Life.LIVE);
  }

  /** It is told first of the condition and then of the deletion, or of both at once. */
  @ParameterizedTest
  @EnumSource
  @Rule({"JS-136", "JS-160"})
  void an_evicted_pod_was_disrupted_also_once_it_is_being_deleted(GroupPod.Agent agent) {
    var pod = new Pod(agent);
    pod.disrupted = true;
    pod.deleting = true;

    assertThat(pod.sign()).isEqualTo(of(Sign.Kind.POD_DISRUPTED).since(SINCE));
    assertThat(pod.read().life()).isEqualTo(PodReading.Life.DEAD);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"JS-136", "JS-160", "AS-62"})
  void a_pod_behind_an_unreachable_node_has_failed_unless_it_is_ready(GroupPod.Agent agent) {
    var pod = new Pod(agent);
    pod.node = NodeState.UNREACHABLE;
    assertThat(pod.sign()).isNull();

    pod.ready = false;
    assertThat(pod.sign()).isEqualTo(of(Sign.Kind.NODE_UNREACHABLE));

    pod.node = NodeState.REACHABLE;
    assertThat(pod.sign()).isNull();
  }

  // ---- restart of all containers ----------------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  @Rule({"JS-160", "CND-11"})
  void all_containers_restart_because_of_the_one_that_is_named(GroupPod.Agent agent) {
    var pod =
        new Pod(agent)
            .with(
                ended("worker", Role.WORKER, fatal(1, SINCE)),
                ended("side", Role.HELPER, end(7, Meaning.NOTHING, SINCE)))
            .restarting(SINCE, NAMED);

    assertThat(pod.sign())
        .isEqualTo(exit(Sign.Kind.ALL_CONTAINERS_RESTARTING, "side", 7).since(SINCE));
  }

  @Test
  @Rule({"JS-160", "JS-165a"})
  void a_pod_that_was_ordered_to_restart_blames_nobody() {
    var pod =
        new Pod().with(ended("worker", Role.WORKER, fatal(1, BEFORE))).restarting(SINCE, ORDERED);

    assertThat(pod.sign()).isEqualTo(of(Sign.Kind.ALL_CONTAINERS_RESTARTING).since(SINCE));
  }

  @Test
  @Rule({"JS-160", "JS-123"})
  void another_node_names_nobody_so_the_first_end_counts() {
    var kind = Sign.Kind.ALL_CONTAINERS_RESTARTING;
    var pod =
        new Pod()
            .with(
                ended("agent", Role.AGENT, fatal(9, BEFORE)),
                ended("late", Role.WORKER, fatal(1, SINCE.plusSeconds(1))),
                ended("killed", Role.WORKER, fatal(137, SINCE)),
                ended("first", Role.WORKER, fatal(2, SINCE)),
                ended("never", Role.WORKER, fatal(4, null)))
            .restarting(SINCE, "");

    assertThat(pod.sign()).isEqualTo(exit(kind, "first", 2).since(SINCE));
    assertThat(pod.with(ended("agent", Role.AGENT, fatal(9, BEFORE))).sign())
        .isEqualTo(exit(kind, "agent", 9).since(BEFORE));
    assertThat(pod.with(ended("helper", Role.HELPER, fatal(9, BEFORE))).sign())
        .isEqualTo(of(kind).since(SINCE));
  }

  @Test
  @Rule({"JS-139", "JS-160"})
  void what_was_before_the_lift_is_old_news_of_another_agents_pod() {
    var other = new Pod(GroupPod.Agent.OTHER);
    assertThat(other.restarting(BEFORE, NAMED).sign()).isNull();
    assertThat(other.restarting(SINCE, NAMED).sign()).isNotNull();
    assertThat(other.restarting(BEFORE, NAMED).at(0).sign()).as("not in this attempt").isNotNull();
    assertThat(new Pod().restarting(BEFORE, NAMED).sign()).as("written in one go").isNotNull();
  }

  /** RAC-54: the pod reports the old attempt still, and is on its way to the next. */
  @Test
  @Rule({"JS-137", "RAC-54"})
  void a_pod_that_waits_before_it_goes_on_has_left_its_attempt() {
    var backOff = "CrashLoopBackOff";
    var told = cycle(137, NAMED, SINCE);
    var silent = cycle(137, "", SINCE);

    assertThat(new Pod().with(waits("worker", Role.WORKER, backOff, told)).sign())
        .isEqualTo(exit(Sign.Kind.ALL_CONTAINERS_RESTARTING, "side", 7));
    assertThat(
            new Pod()
                .with(waits("worker", Role.WORKER, backOff, cycle(137, ORDERED, SINCE)))
                .sign())
        .isEqualTo(of(Sign.Kind.ALL_CONTAINERS_RESTARTING));
    assertThat(
            new Pod(GroupPod.Agent.OTHER)
                .with(waits("worker", Role.WORKER, backOff, fatal(5, SINCE)))
                .sign())
        .isEqualTo(exit(Sign.Kind.WORKER_EXITED, "worker", 5).since(SINCE));
    assertThat(new Pod(GroupPod.Agent.OTHER).with(waits("agent", Role.AGENT, backOff, null)).sign())
        .isEqualTo(of(Sign.Kind.ALL_CONTAINERS_RESTARTING));
    assertThat(
            new Pod()
                .with(
                    waits("worker", Role.WORKER, backOff, null),
                    back("side", Role.HELPER, 1, silent))
                .sign())
        .as("not started again, but another container was part of a cycle")
        .isEqualTo(of(Sign.Kind.ALL_CONTAINERS_RESTARTING));
  }

  @ParameterizedTest
  @CsvSource({
    "CrashLoopBackOff, HELPER, NODE, true",
    "CrashLoopBackOff, INIT, NODE, true",
    "WaitingForBarrier, WORKER, NODE, true",
    "CrashLoopBackOff, WORKER, OTHER, true",
    "CrashLoopBackOff, WORKER, NODE, false",
  })
  @Rule("RAC-54")
  void a_container_that_waits_for_something_else_is_no_sign(
      String why, Role role, GroupPod.Agent agent, boolean byCycle) {
    var last = byCycle ? cycle(137, NAMED, SINCE) : end(1, Meaning.NOTHING, SINCE);

    assertThat(new Pod(agent).with(waits("c", role, why, last)).sign()).isNull();
  }

  // ---- ends of containers -----------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  @Rule({"JS-160", "AS-63"})
  void a_worker_that_ended_for_good_is_a_sign_before_its_pod_says_so(GroupPod.Agent agent) {
    for (var meaning : List.of(Meaning.RESTARTS_ALL, Meaning.FAILS_POD)) {
      var pod = new Pod(agent).with(ended("worker", Role.WORKER, end(3, meaning, SINCE)));

      assertThat(pod.sign()).isEqualTo(exit(Sign.Kind.WORKER_EXITED, "worker", 3).since(SINCE));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("JS-160")
  void the_end_of_a_helper_or_one_that_means_nothing_is_no_sign(GroupPod.Agent agent) {
    assertThat(new Pod(agent).with(ended("h", Role.HELPER, fatal(3, SINCE))).sign()).isNull();
    assertThat(new Pod(agent).with(ended("i", Role.INIT, fatal(3, SINCE))).sign()).isNull();
    assertThat(new Pod(agent).with(ended("w", Role.WORKER, end(0, Meaning.NOTHING, SINCE))).sign())
        .isNull();
  }

  @Test
  @Rule({"JS-139", "JS-160"})
  void an_end_before_the_lift_is_of_an_earlier_attempt() {
    var pod = new Pod(GroupPod.Agent.OTHER).with(ended("worker", Role.WORKER, fatal(3, BEFORE)));

    assertThat(pod.sign()).isNull();
    assertThat(pod.at(0).sign()).isNotNull();
  }

  @Test
  @Rule({"JS-138", "JS-160", "AS-54"})
  void an_agent_that_ended_is_a_sign_unless_every_worker_is_done() {
    var agent = ended("agent", Role.AGENT, end(1, Meaning.RESTARTS_ALL, SINCE));
    var done = ended("done", Role.WORKER, end(0, Meaning.NOTHING, SINCE));
    var pod = new Pod(GroupPod.Agent.OTHER);

    assertThat(pod.with(agent, up("worker", Role.WORKER, 0), done).sign())
        .isEqualTo(exit(Sign.Kind.AGENT_EXITED, "agent", 1).since(SINCE));
    assertThat(pod.with(agent, done).sign()).isNull();
    assertThat(
            pod.with(
                    ended("agent", Role.AGENT, end(1, Meaning.RESTARTS_ALL, BEFORE)),
                    up("worker", Role.WORKER, 0))
                .sign())
        .isNull();
  }

  // ---- restart counts ---------------------------------------------------------------------------

  @Test
  @Rule({"JS-139", "JS-160"})
  void a_worker_that_was_restarted_in_the_running_attempt_is_a_sign() {
    var pod = new Pod().with(up("worker", Role.WORKER, 4));
    assertThat(pod.sign()).isNull();

    pod.with(back("worker", Role.WORKER, 5, end(8, Meaning.NOTHING, SINCE)));
    assertThat(pod.sign()).isEqualTo(exit(Sign.Kind.RESTART_COUNT_ROSE, "worker", 8));
    assertThat(pod.sign()).as("as long as it is so").isNotNull();
  }

  @Test
  @Rule({"JS-142", "JS-160"})
  void the_count_is_taken_anew_in_every_attempt_and_when_it_is_lost() {
    var pod = new Pod().with(up("worker", Role.WORKER, 4));
    pod.read();
    pod.current = OptionalInt.of(2);
    assertThat(pod.at(2).with(up("worker", Role.WORKER, 5)).sign()).isNull();
    assertThat(pod.with(up("worker", Role.WORKER, 6)).sign()).isNotNull();

    pod.baseline = Baseline.NONE;
    assertThat(pod.sign()).isNull();
  }

  @Test
  @Rule("JS-160")
  void a_worker_is_compared_from_when_it_was_first_seen_running() {
    var pod = new Pod().with(up("a", Role.WORKER, 0), waits("b", Role.WORKER, "", null));
    pod.read();

    assertThat(pod.with(up("a", Role.WORKER, 0), up("b", Role.WORKER, 1)).sign()).isNull();
    assertThat(pod.with(up("a", Role.WORKER, 0), up("b", Role.WORKER, 2)).sign())
        .isEqualTo(Sign.of(Sign.Kind.RESTART_COUNT_ROSE, "p", "b", null));
    pod.baseline = Baseline.NONE;
    pod.with(waits("b", Role.WORKER, "", null)).read();
    assertThat(pod.baseline.workers()).as("nobody runs").isEmpty();
  }

  @Test
  @Rule({"JS-137", "JS-160"})
  void helpers_other_agents_and_other_attempts_are_not_compared() {
    var helper = new Pod().with(up("helper", Role.HELPER, 0));
    helper.read();
    assertThat(helper.with(up("helper", Role.HELPER, 3)).sign()).isNull();

    var other = new Pod(GroupPod.Agent.OTHER);
    other.read();
    assertThat(other.with(up("worker", Role.WORKER, 3)).sign()).isNull();

    var ahead = new Pod().at(2);
    ahead.read();
    assertThat(ahead.with(up("worker", Role.WORKER, 3)).sign()).isNull();
  }

  // ---- what the pod remembers -------------------------------------------------------------------

  @Test
  @Rule({"JS-160", "JS-28l"})
  void a_pod_that_came_back_before_anybody_saw_it_fail_remembers_why() {
    var pod =
        new Pod()
            .at(2)
            .with(
                back("worker", Role.WORKER, 1, cycle(137, NAMED, SINCE)),
                back("side", Role.HELPER, 1, cycle(7, NAMED, SINCE)));

    assertThat(pod.read().past())
        .isEqualTo(exit(Sign.Kind.ALL_CONTAINERS_RESTARTING, "side", 7).since(SINCE));
    assertThat(pod.at(1).read().past()).as("in the running attempt nobody asks").isNull();
  }

  @Test
  @Rule({"JS-160", "JS-165a", "JS-167"})
  void of_an_order_it_remembers_nothing_and_of_a_request_that_it_was_one() {
    var pod = new Pod().at(2);

    pod.with(back("worker", Role.WORKER, 1, cycle(137, ORDERED, SINCE)));
    assertThat(pod.read().past()).isNull();
    pod.with(back("worker", Role.WORKER, 1, cycle(137, "Request r: why", SINCE)));
    assertThat(pod.read().past()).isEqualTo(of(Sign.Kind.REQUESTED).since(SINCE));
  }

  @Test
  @Rule("JS-160")
  void the_newest_cycle_counts() {
    var pod =
        new Pod()
            .at(2)
            .with(
                back("old", Role.WORKER, 1, cycle(137, "Request r: why", BEFORE)),
                back("new", Role.WORKER, 1, cycle(137, ORDERED, SINCE)),
                back("unknown", Role.WORKER, 1, cycle(137, "Request r: why", null)));

    assertThat(pod.read().past()).isNull();
  }

  @Test
  @Rule({"JS-139", "JS-160"})
  void without_a_note_the_first_end_counts_if_it_is_news() {
    var other =
        new Pod(GroupPod.Agent.OTHER)
            .at(2)
            .with(
                back("agent", Role.AGENT, 1, fatal(9, SINCE)),
                back("worker", Role.WORKER, 1, fatal(5, SINCE)));

    assertThat(other.read().past())
        .isEqualTo(exit(Sign.Kind.WORKER_EXITED, "worker", 5).since(SINCE));
    other.with(back("agent", Role.AGENT, 1, fatal(9, SINCE)));
    assertThat(other.read().past())
        .isEqualTo(exit(Sign.Kind.WORKER_EXITED, "agent", 9).since(SINCE));
    other.with(back("worker", Role.WORKER, 1, fatal(5, BEFORE)));
    assertThat(other.read().past()).as("older than the lift").isNull();
    other.with(back("worker", Role.WORKER, 1, cycle(5, "", SINCE)));
    assertThat(other.read().past())
        .isEqualTo(exit(Sign.Kind.WORKER_EXITED, "worker", 5).since(SINCE));
  }

  // ---- runaways ---------------------------------------------------------------------------------

  private static Container init(int count) {
    return back("init", Role.INIT, count, fatal(1, SINCE));
  }

  @Test
  @Rule({"JS-145", "AS-55"})
  void restarts_of_an_init_container_on_the_way_add_up() {
    var pod = new Pod();
    pod.report = AttemptReport.NONE;
    assertThat(pod.with(init(2)).read().runaway()).as("what was before is unknown").isZero();
    assertThat(pod.with(init(5)).read().runaway()).isEqualTo(3);
    assertThat(pod.with(init(6), up("other", Role.INIT, 0)).read().runaway()).isEqualTo(4);
  }

  @Test
  @Rule("JS-145")
  void in_step_nothing_is_left_of_them() {
    var pod = new Pod();
    pod.report = AttemptReport.NONE;
    pod.with(init(0)).read();
    pod.with(init(3)).at(1);
    assertThat(pod.read().runaway()).isZero();
    pod.report = AttemptReport.NONE;
    assertThat(pod.with(init(4)).read().runaway()).isEqualTo(1);
  }

  @Test
  @Rule({"JS-145", "RAC-54", "AS-55"})
  void restarts_of_all_containers_are_none_of_them() {
    var pod = new Pod(GroupPod.Agent.OTHER);
    pod.report = AttemptReport.NONE;
    pod.with(init(0), up("agent", Role.AGENT, 0), up("worker", Role.WORKER, 0)).read();
    pod.with(init(3), up("agent", Role.AGENT, 2), up("worker", Role.WORKER, 2));
    assertThat(pod.read().runaway()).as("two were of everybody").isEqualTo(1);

    var byCycle = back("init", Role.INIT, 9, cycle(0, NAMED, SINCE));
    assertThat(pod.with(byCycle).read().runaway()).isZero();
    assertThat(pod.with(init(10)).read().runaway()).as("counted from there").isEqualTo(1);
  }

  @Test
  @Rule("JS-145")
  void restarts_of_agents_workers_and_helpers_alone_are_no_runaway() {
    var pod = new Pod(GroupPod.Agent.OTHER);
    pod.report = AttemptReport.NONE;
    pod.with(up("agent", Role.AGENT, 0), up("h", Role.HELPER, 0)).read();

    assertThat(pod.with(up("agent", Role.AGENT, 9), up("h", Role.HELPER, 9)).read().runaway())
        .isZero();
  }

  // ---- trouble ----------------------------------------------------------------------------------

  @ParameterizedTest
  @Rule("JS-133a")
  @CsvSource({
    "''",
    "PodInitializing",
    "ContainerCreating",
    "WaitingForBarrier",
    "RestartingAllContainers"
  })
  void a_container_on_its_way_is_no_trouble(String waits) {
    assertThat(new Pod().with(waits("worker", Role.WORKER, waits, null)).read().trouble())
        .isEmpty();
  }

  @Test
  @Rule({"JS-133a", "RAC-54"})
  void trouble_says_what_keeps_which_container_from_starting() {
    var pod = new Pod();

    assertThat(pod.with(waits("worker", Role.WORKER, "ErrImagePull", null)).read().trouble())
        .isEqualTo("ErrImagePull (container worker)");
    assertThat(
            pod.with(
                    up("fine", Role.HELPER, 0),
                    waits("worker", Role.WORKER, "CrashLoopBackOff", fatal(3, SINCE)))
                .read()
                .trouble())
        .isEqualTo("CrashLoopBackOff (container worker exited with code 3)");
    assertThat(
            pod.with(waits("worker", Role.WORKER, "CrashLoopBackOff", cycle(137, NAMED, SINCE)))
                .read()
                .trouble())
        .isEqualTo("CrashLoopBackOff (container side exited with code 7)");
    assertThat(
            pod.with(waits("worker", Role.WORKER, "CrashLoopBackOff", cycle(137, "", SINCE)))
                .read()
                .trouble())
        .isEqualTo("CrashLoopBackOff (container worker)");
  }
}
