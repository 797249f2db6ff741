package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.RestartPolicy.ALWAYS;
import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.RestartPolicy.ON_FAILURE;
import static dev.regroup.rules.pod.plan.Pods.all;
import static dev.regroup.rules.pod.plan.Pods.pod;
import static dev.regroup.rules.pod.plan.Pods.restart;
import static dev.regroup.rules.pod.plan.Pods.restartNotIn;
import static dev.regroup.rules.pod.plan.Script.Run.exit;
import static dev.regroup.rules.pod.plan.Script.Run.exitAfter;
import static dev.regroup.rules.pod.plan.Script.Run.forever;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.Rule;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerState.Running;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The scenarios of node.md 9.1. */
class PolicyTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static SimNode after(Duration time, Pods pod) {
    var node = pod.node();
    node.run(time);
    return node;
  }

  private static void ends(SimNode node, Phase phase, int count) {
    assertThat(node.status().phase()).isEqualTo(phase);
    assertThat(node.status("m").restartCount()).isEqualTo(count);
  }

  private static Pods own(RestartPolicy pod, RestartPolicy own, Script.Run... runs) {
    return pod(pod).c("m", runs).pol(own);
  }

  @Test
  @Rule({"ACC-002", "STS-15"})
  void a_code_no_rule_matches_fails_the_pod() {
    var node = after(MINUTE, own(NEVER, NEVER, exit(1)).rules(restart(42)));

    ends(node, Phase.FAILED, 0);
    assertThat(((Terminated) node.status("m").state()).reason()).isEqualTo("Error");
  }

  @Test
  @Rule({"ACC-003", "ACC-004", "STS-05"})
  void the_containers_never_beats_the_pods_always() {
    ends(after(MINUTE, own(ALWAYS, NEVER, exit(1))), Phase.FAILED, 0);
    ends(after(MINUTE, own(ALWAYS, NEVER, exit(0))), Phase.SUCCEEDED, 0);
  }

  @Test
  @Rule({"ACC-005", "ACC-006"})
  void always_restarts() {
    ends(after(Duration.ofSeconds(5), own(NEVER, ALWAYS, exit(1))), Phase.RUNNING, 1);
    ends(after(Duration.ofSeconds(5), pod(ALWAYS).c("m", exit(1))), Phase.RUNNING, 1);
  }

  @Test
  @Rule({"ACC-007"})
  void on_failure_restarts_until_success() {
    ends(after(MINUTE, own(NEVER, ON_FAILURE, exit(1), exit(0))), Phase.SUCCEEDED, 1);
  }

  @Test
  @Rule({"ACC-008", "STS-05", "RAC-79"})
  void mixed_policies_keep_the_pod_running() {
    var node =
        after(
            MINUTE,
            pod(ON_FAILURE)
                .c("try", exit(1))
                .pol(NEVER)
                .c("m", exitAfter(1, Duration.ofSeconds(5))));

    assertThat(node.status("try").restartCount()).isZero();
    assertThat(node.status("m").restartCount()).isPositive();
    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  @Rule({"ACC-009", "ACC-012", "API-20"})
  void a_rule_can_restart_on_zero() {
    ends(
        after(Duration.ofSeconds(5), own(NEVER, ON_FAILURE, exit(0)).rules(restart(0))),
        Phase.RUNNING,
        1);
    ends(
        after(Duration.ofSeconds(5), own(NEVER, NEVER, exit(0)).rules(restartNotIn())),
        Phase.RUNNING,
        1);
  }

  @Test
  @Rule({"ACC-010", "ACC-011"})
  void rules_are_walked_in_order() {
    var rules = new dev.regroup.rules.ExitRule[] {restart(1), restartNotIn(1, 2)};

    ends(after(MINUTE, own(NEVER, NEVER, exit(2)).rules(rules)), Phase.FAILED, 0);
    ends(after(MINUTE, own(NEVER, NEVER, exit(3), exit(2)).rules(rules)), Phase.FAILED, 1);
  }

  @Test
  @Rule({"ACC-013", "API-20"})
  void a_rule_that_never_matches_leaves_the_policy() {
    ends(
        after(Duration.ofSeconds(5), own(NEVER, ALWAYS, exit(7)).rules(restart())),
        Phase.RUNNING,
        1);
  }

  @Test
  @Rule("ACC-014")
  void the_first_match_wins() {
    var node =
        after(
            Duration.ofSeconds(5),
            own(NEVER, NEVER, exit(42), forever()).rules(restart(42), all(42)).c("w"));

    ends(node, Phase.RUNNING, 1);
    assertThat(node.status("w").restartCount()).isZero();
  }

  @Test
  @Rule({"ACC-015", "DEC-04", "DEC-05"})
  void a_kill_and_a_failed_start_are_exits_like_others() {
    ends(
        after(Duration.ofSeconds(5), own(NEVER, NEVER, exit(137)).rules(restart(137))),
        Phase.RUNNING,
        1);
    ends(
        after(
            Duration.ofSeconds(5),
            own(NEVER, NEVER, exit(128).because("StartError"), forever()).rules(restartNotIn(0))),
        Phase.RUNNING,
        1);
  }

  @Test
  @Rule("ACC-017")
  void three_runs_under_three_policies() {
    var runs = new Script.Run[] {exit(1), exit(0), forever()};

    ends(after(MINUTE, pod(ALWAYS).c("m", runs)), Phase.RUNNING, 2);
    ends(after(MINUTE, pod(ON_FAILURE).c("m", runs)), Phase.SUCCEEDED, 1);
    ends(after(MINUTE, pod(NEVER).c("m", runs)), Phase.FAILED, 0);
  }

  @Test
  @Rule({"ACC-022", "SEQ-31"})
  void without_the_api_server_everything_goes_on_and_is_told_later() {
    var node = own(NEVER, NEVER, exit(42), exit(42), forever()).rules(restart(42)).node();
    node.apiReachable = false;
    node.run(MINUTE);
    assertThat(node.published).isEqualTo(PodStatus.NONE);

    node.apiReachable = true;
    node.run(MINUTE);

    assertThat(node.published.container("m").orElseThrow().restartCount()).isEqualTo(2);
  }

  @Test
  @Rule("ACC-023")
  void an_exit_the_node_did_not_see_is_judged_when_it_is_back() {
    var restarted =
        own(NEVER, NEVER, exitAfter(42, Duration.ofSeconds(5)), forever())
            .rules(restart(42))
            .node();
    var failed = own(NEVER, NEVER, exitAfter(1, Duration.ofSeconds(5))).rules(restart(42)).node();
    for (var node : java.util.List.of(restarted, failed)) {
      node.settle();
      node.now = node.now.plusSeconds(35);
      node.restartNode();
      node.run(MINUTE);
    }

    ends(restarted, Phase.RUNNING, 1);
    assertThat(((Terminated) restarted.status("m").lastState()).finishedAt())
        .isEqualTo(SimNode.START.plusSeconds(5));
    ends(failed, Phase.FAILED, 0);
  }

  @Test
  @Rule({"ACC-169", "DEC-12"})
  void with_the_rules_gate_off_the_pods_policy_decides_but_sidecars_restart() {
    var node =
        pod(NEVER)
            .s("s", exit(1), forever())
            .c("m", exit(42), forever())
            .pol(ALWAYS)
            .rules(restart(42))
            .c("w")
            .node();
    node.switchOff(RuleGate.CONTAINER_RESTART_RULES);
    node.run(MINUTE);
    assertThat(node.status("m").restartCount()).isZero();
    assertThat(node.status("s").restartCount()).isEqualTo(1);

    node.settings = NodeSettings.product();
    node.restartNode();
    node.run(MINUTE);

    assertThat(node.status("m").state()).isInstanceOf(Running.class);
    assertThat(node.status("m").restartCount()).isEqualTo(1);
  }

  @Test
  @Rule({"DEC-45", "SEQ-01"})
  void ephemeral_containers_never_count() {
    var node = pod(NEVER).c("m", exitAfter(0, Duration.ofSeconds(9))).ephemeral("debug").node();
    node.scripts.put("debug", Script.of(exit(1)));

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("debug", "m");
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  @Rule({"DEC-01", "STS-10", "STS-11", "STS-17", "STS-20"})
  void statuses_follow_the_newest_record() {
    var node = pod(ALWAYS).c("z").c("m", exit(3), forever()).node();

    node.run(MINUTE);

    assertThat(node.status().containers())
        .extracting(ContainerStatus::name)
        .containsExactly("m", "z");
    assertThat(node.status("m").state()).isInstanceOf(Running.class);
    assertThat(((Terminated) node.status("m").lastState()).exitCode()).isEqualTo(3);
    assertThat(node.status("m").containerId()).isEqualTo(new ContainerId("m-1"));
  }

  @Test
  @Rule({"STS-12", "RAC-32"})
  void a_container_that_vanished_is_reported_and_started_again() {
    var node = pod(ALWAYS).c("m").c("n").node();
    node.run(MINUTE);
    node.records.remove(new ContainerId("m-0"));

    node.run(MINUTE);

    assertThat(node.status("m").restartCount()).isEqualTo(1);
    var last = (Terminated) node.status("m").lastState();
    assertThat(last.reason()).isEqualTo("ContainerStatusUnknown");
    assertThat(last.exitCode()).isEqualTo(137);
  }

  @Test
  @Rule("CND-10")
  void a_transition_time_moves_only_when_the_status_does() {
    var node = pod(ALWAYS).c("m").node();
    node.run(MINUTE);
    var before = node.status().condition(PodCondition.Type.READY).orElseThrow().lastTransition();

    node.run(MINUTE);

    assertThat(node.status().condition(PodCondition.Type.READY).orElseThrow().lastTransition())
        .isEqualTo(before)
        .isEqualTo(SimNode.START);
  }
}
