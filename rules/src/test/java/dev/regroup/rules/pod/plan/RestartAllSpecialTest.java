package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.RestartPolicy.ALWAYS;
import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.pod.plan.Pods.all;
import static dev.regroup.rules.pod.plan.Pods.pod;
import static dev.regroup.rules.pod.plan.Pods.restart;
import static dev.regroup.rules.pod.plan.Pods.simple;
import static dev.regroup.rules.pod.plan.Script.Run.exit;
import static dev.regroup.rules.pod.plan.Script.Run.exitAfter;
import static dev.regroup.rules.pod.plan.Script.Run.forever;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.ExitRule;
import dev.regroup.rules.Rule;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerState.Running;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.NodeSettings.ConditionNames;
import dev.regroup.rules.pod.Observed.Deletion;
import dev.regroup.rules.pod.Observed.StartFailure;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RestartAllSpecialTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final PodCondition.Type CONDITION = PodCondition.Type.ALL_CONTAINERS_RESTARTING;

  private static Duration seconds(int n) {
    return Duration.ofSeconds(n);
  }

  @Test
  @Rule({"RAC-13", "ACC-077"})
  void a_deaf_victim_is_killed_after_two_seconds_whatever_the_grace() {
    var node = simple().c("deaf", forever().deaf()).preStop(seconds(20)).grace(seconds(600)).node();

    node.run(MINUTE);

    var deaf =
        node.started.stream().filter(r -> r.container.equals("deaf")).findFirst().orElseThrow();
    assertThat(deaf.ran()).isEqualTo(seconds(7));
    assertThat(node.done).noneMatch(Effect.BeginStop.class::isInstance);
  }

  @Test
  @Rule({"RAC-14", "ACC-138"})
  void a_rules_grace_brings_hooks_and_order() {
    var rule =
        new ExitRule(
            ExitRule.Action.RESTART_ALL_CONTAINERS,
            new ExitRule.Condition.ExitCodes(ExitRule.Operator.IN, List.of(42)),
            List.of(),
            seconds(5));
    var node =
        pod(NEVER)
            .s("s1")
            .s("s2")
            .c("src", exitAfter(42, seconds(5)), forever())
            .pol(NEVER)
            .rules(rule)
            .c("v", forever().onSignal(seconds(2), 0))
            .preStop(seconds(1))
            .node();

    node.run(MINUTE);

    var ends =
        List.of("v", "s2", "s1").stream()
            .map(name ->
                node.started.stream()
                    .filter(r -> r.container.equals(name))
                    .findFirst()
                    .orElseThrow()
                    .finishedAt)
            .toList();
    assertThat(ends).isSorted();
    assertThat(Duration.between(SimNode.START, ends.getFirst())).isEqualTo(seconds(8));
    node.assertRestartedOnce("s1", "s2", "src", "v");
  }

  @Test
  @Rule({"ACT-07", "ACC-139"})
  void a_kept_sidecar_stays_and_its_count_does_not_change() {
    var rule =
        new ExitRule(
            ExitRule.Action.RESTART_ALL_CONTAINERS,
            new ExitRule.Condition.ExitCodes(ExitRule.Operator.IN, List.of(42)),
            List.of("db"),
            Duration.ZERO);
    var node =
        pod(NEVER)
            .i("init")
            .s("db")
            .s("log")
            .c("src", exit(42), forever())
            .pol(NEVER)
            .rules(rule)
            .node();

    node.run(MINUTE);

    assertThat(node.status("db").restartCount()).isZero();
    node.assertRestartedOnce("init", "log", "src");
    assertThat(node.startOrder()).containsExactly("init", "db", "log", "src", "init", "log", "src");
  }

  @Test
  @Rule({"RAC-60", "ACC-090", "CND-11"})
  void several_sources_are_one_cycle() {
    var node =
        pod(NEVER)
            .c("a", exit(42), forever())
            .pol(NEVER)
            .rules(all(42))
            .c("b", exit(42), forever())
            .pol(NEVER)
            .rules(all(42))
            .node();

    node.run(MINUTE);

    node.assertRestartedOnce("a", "b");
    assertThat(node.history)
        .anyMatch(s ->
            s.condition(CONDITION)
                .filter(c ->
                    c.message()
                        .equals(
                            "Container a exited with code 42, triggering pod restart (and 1 more)"))
                .isPresent());
  }

  @Test
  @Rule({"RAC-64", "ACC-093", "RAC-32"})
  void a_victim_in_back_off_starts_with_the_others_and_its_count_rises_on_start() {
    var node = simple().c("crash", exit(1), exit(1), forever()).pol(ALWAYS).node();

    node.run(MINUTE);

    var removed =
        node.history.stream()
            .map(s -> s.container("crash").orElseThrow())
            .filter(c ->
                c.state() instanceof Waiting(var reason, _)
                    && reason.equals("RestartingAllContainers"))
            .findFirst()
            .orElseThrow();
    assertThat(removed.restartCount()).isEqualTo(1);
    assertThat(node.status("crash").restartCount()).isEqualTo(2);
    var crash = node.started.stream().filter(r -> r.container.equals("crash")).toList().getLast();
    assertThat(Duration.between(SimNode.START, crash.startedAt)).isLessThan(seconds(10));
  }

  @Test
  @Rule({"RAC-65", "ACC-094", "ACC-114"})
  void a_victim_that_cannot_start_keeps_its_error() {
    var node = simple().c("bad").node();
    node.startFails =
        start ->
            start.container().equals("bad")
                ? Optional.of(new StartFailure("ImagePullBackOff", "no", node.now.plusSeconds(10)))
                : Optional.empty();

    node.run(MINUTE);

    node.assertRestartedOnce("init", "src", "reg");
    assertThat(node.status("bad").restartCount()).isZero();
    assertThat(node.status("bad").state()).isEqualTo(new Waiting("ImagePullBackOff", "no"));
    assertThat(node.status().phase()).isEqualTo(Phase.PENDING);
  }

  @Test
  @Rule({"RAC-17", "ACC-085", "RAC-68"})
  void ephemeral_containers_are_left_alone() {
    var node = simple().ephemeral("debug").node();

    node.run(MINUTE);

    assertThat(node.status("debug").restartCount()).isZero();
    assertThat(node.running("debug").orElseThrow().epoch).isZero();
    node.assertRestartedOnce("init", "src", "reg");
  }

  @Test
  @Rule({"RAC-66", "ACC-086"})
  void a_deletion_in_phase_one_ends_the_pod() {
    var node = simple().c("deaf", forever().deaf()).node();
    node.run(seconds(7));
    assertThat(node.status().isTrue(CONDITION)).isTrue();
    node.deletion = new Deletion.Asked(node.now, seconds(30));

    node.run(MINUTE);

    assertThat(node.startOrder()).doesNotHaveDuplicates();
    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.status().condition(CONDITION).orElseThrow().reason()).isEqualTo("PodFailed");
    assertThat(node.plans.getLast().standing()).isEqualTo(PodPlan.Standing.REMOVABLE);
  }

  @Test
  @Rule({"ACC-118", "RAC-51"})
  void a_deletion_while_back_off_waits_ends_the_pod() {
    var node = pod(NEVER).c("m", exit(42)).pol(NEVER).rules(all(42)).node();
    node.run(seconds(5));
    int started = node.started.size();
    node.deletion = new Deletion.Asked(node.now, seconds(30));

    node.run(Duration.ofMinutes(10));

    assertThat(node.started).hasSize(started);
    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
  }

  @Test
  @Rule({"CND-05", "CND-01"})
  void the_condition_is_absent_without_a_rule() {
    var node = pod(NEVER).c("m").node();
    var ruled = simple().node();
    node.run(seconds(1));
    ruled.run(seconds(1));

    assertThat(node.status().condition(CONDITION)).isEmpty();
    assertThat(ruled.history.getFirst().condition(CONDITION)).isPresent();
  }

  @Test
  @Rule({"CND-13", "ACC-168"})
  void both_names_move_together() {
    var node = simple().node();
    var product = node.settings;
    node.settings =
        new NodeSettings(
            product.gates(),
            product.podRestartBackOff(),
            product.phaseDuringRestart(),
            ConditionNames.BOTH,
            product.backOffInitial(),
            product.backOffMax());

    node.run(MINUTE);

    assertThat(node.history)
        .allMatch(s -> s.isTrue(CONDITION) == s.isTrue(PodCondition.Type.POD_RESTART_IN_PLACE));
    assertThat(node.conditionHistory(PodCondition.Type.POD_RESTART_IN_PLACE))
        .containsExactly("False", "True", "False");
  }

  @Test
  @Rule({"RAC-37", "ACC-108"})
  void upstreams_phase_flickers_with_the_init_containers() {
    var node = simple().node();
    node.settings = NodeSettings.upstream();

    node.run(MINUTE);

    assertThat(node.phases()).containsExactly("Pending", "Running", "Pending", "Running");
    assertThat(node.history.stream().filter(s -> s.isTrue(CONDITION)).map(PodStatus::phase))
        .containsOnly(Phase.RUNNING);
  }

  @Test
  @Rule({"RAC-50", "ACC-091"})
  void without_pod_back_off_a_loop_runs_on() {
    var node = pod(NEVER).c("m", exit(42)).pol(NEVER).rules(all(42)).node();
    node.settings = NodeSettings.upstream();

    node.run(MINUTE);

    assertThat(node.started).hasSizeGreaterThan(10);
  }

  @Test
  @Rule({"GATE-13", "GATE-14", "ACC-102", "ACC-103"})
  void with_the_gate_off_a_rule_is_inert_and_works_when_it_is_on_again() {
    var node =
        pod(NEVER)
            .c("src", exit(42), forever())
            .pol(NEVER)
            .rules(all(42), restart(42))
            .c("w")
            .node();
    node.switchOff(RuleGate.RESTART_ALL_CONTAINERS);
    node.run(MINUTE);
    assertThat(node.started).hasSize(2);

    node.settings = NodeSettings.product();
    node.restartNode();
    node.run(MINUTE);

    node.assertRestartedOnce("src", "w");
  }

  @Test
  @Rule({"COND-02", "ACC-134"})
  void restart_times_count_from_the_beginning_of_each_epoch() {
    var often =
        new ExitRule(
            ExitRule.Action.COMPLETE,
            new ExitRule.Condition.RestartTimes(3),
            List.of(),
            Duration.ZERO);
    var node =
        pod(NEVER)
            .i("r", exit(1))
            .pol(NEVER)
            .rules(often, Pods.restartNotIn(0))
            .c("m", exit(42), forever())
            .pol(NEVER)
            .rules(all(42))
            .node();

    node.run(Duration.ofMinutes(60));

    assertThat(node.startOrder()).containsExactly("r", "r", "r", "r", "m", "r", "r", "r", "r", "m");
    assertThat(node.status("m").state()).isInstanceOf(Running.class);
  }

  @Test
  @Rule({"COND-03", "ACC-136", "ACC-016"})
  void an_oom_rule_tells_the_kill_from_other_exits() {
    var oom =
        new ExitRule(
            ExitRule.Action.RESTART, new ExitRule.Condition.OomKill(), List.of(), Duration.ZERO);
    var node =
        pod(NEVER).c("m", exit(137).because("OOMKilled"), exit(137)).pol(NEVER).rules(oom).node();

    node.run(MINUTE);

    assertThat(node.status("m").restartCount()).isEqualTo(1);
    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(((ContainerState.Terminated) node.status("m").lastState()).reason())
        .isEqualTo("OOMKilled");
  }

  @Test
  @Rule({"OBS-10", "OBS-11"})
  void the_restart_leaves_events() {
    var node = simple().node();

    node.run(MINUTE);

    assertThat(node.eventTexts("RestartingAllContainers"))
        .containsExactly("Container src exited with code 42, triggering pod restart");
    assertThat(node.eventTexts("AllContainersRestarted"))
        .containsExactly("All containers restarted in 1.000s");
    assertThat(node.eventTexts("Killing"))
        .containsExactly("Stopping container reg: restart of all containers");
  }
}
