package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.ExitRule.Action.COMPLETE;
import static dev.regroup.rules.ExitRule.Action.TERMINATE_POD;
import static dev.regroup.rules.RestartPolicy.ALWAYS;
import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.RestartPolicy.ON_FAILURE;
import static dev.regroup.rules.pod.plan.Pods.all;
import static dev.regroup.rules.pod.plan.Pods.on;
import static dev.regroup.rules.pod.plan.Pods.pod;
import static dev.regroup.rules.pod.plan.Script.Run.exit;
import static dev.regroup.rules.pod.plan.Script.Run.exitAfter;
import static dev.regroup.rules.pod.plan.Script.Run.forever;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodEvent;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The end of a chosen container ends the pod (node.md section 5). */
class OnCompletionTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static Duration seconds(int n) {
    return Duration.ofSeconds(n);
  }

  @Test
  @Rule({"ACC-120", "ACC-121", "TPC-01", "TPC-10", "TPC-20", "TPC-22", "TPC-23"})
  void the_end_of_a_chosen_container_ends_the_pod_and_helpers_do_not_spoil_it() {
    var node = pod(NEVER).c("main", exitAfter(0, seconds(5))).onCompletion().c("helper").node();

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(node.status().reason()).isEqualTo("TerminatedOnCompletion");
    assertThat(node.status().message())
        .isEqualTo("Container main exited with code 0, ending the pod");
    assertThat(((Terminated) node.status("helper").state()).exitCode()).isEqualTo(143);
    assertThat(node.events)
        .anyMatch(e -> e.reason().equals("TerminatePod") && e.type() == PodEvent.Type.NORMAL);
  }

  @Test
  @Rule({"ACC-122", "TPC-22", "TPC-23"})
  void a_chosen_container_that_fails_fails_the_pod() {
    var node = pod(NEVER).c("main", exit(3)).onCompletion().c("helper").node();

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.events)
        .anyMatch(e -> e.reason().equals("TerminatePod") && e.type() == PodEvent.Type.WARNING);
  }

  @Test
  @Rule({"ACC-123", "TPC-11"})
  void a_chosen_container_may_be_restarted_first() {
    var node = pod(ON_FAILURE).c("main", exit(1), exit(0)).onCompletion().c("helper").node();

    node.run(MINUTE);

    assertThat(node.status("main").restartCount()).isEqualTo(1);
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  @Rule({"ACC-124", "TPC-12"})
  void a_chosen_container_that_always_restarts_ends_nothing() {
    var node = pod(ALWAYS).c("main", exit(0), forever()).onCompletion().c("helper").node();

    node.run(MINUTE);

    assertThat(node.status("main").restartCount()).isEqualTo(1);
    assertThat(node.status("helper").restartCount()).isZero();
    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  @Rule({"TPC-02", "TPC-13", "TPC-14", "TPC-16"})
  void rules_come_before_on_completion() {
    var restarted =
        pod(NEVER)
            .c("main", exit(1), forever())
            .pol(NEVER)
            .rules(Pods.restart(1))
            .onCompletion()
            .node();
    var cycled =
        pod(NEVER).c("main", exit(1), forever()).pol(NEVER).rules(all(1)).onCompletion().node();
    var completed =
        pod(ALWAYS)
            .c("main", exit(1))
            .pol(ALWAYS)
            .rules(on(COMPLETE, 1))
            .onCompletion()
            .c("w")
            .node();
    List.of(restarted, cycled, completed).forEach(n -> n.run(MINUTE));

    assertThat(restarted.status("main").restartCount()).isEqualTo(1);
    assertThat(cycled.status("main").restartCount()).isEqualTo(1);
    assertThat(completed.status().phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  @Rule({"ACC-128", "TPC-22", "TPC-28"})
  void what_failed_before_counts() {
    var node =
        pod(NEVER)
            .c("bad", exit(1))
            .c("main", exitAfter(0, seconds(5)))
            .onCompletion()
            .c("helper")
            .node();

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
  }

  @Test
  @Rule({"ACC-125", "TPC-28"})
  void the_first_of_several_decides() {
    var node =
        pod(NEVER)
            .c("a", exitAfter(7, seconds(9)).onSignal(Duration.ZERO, 7))
            .onCompletion()
            .c("b", exitAfter(0, seconds(5)))
            .onCompletion()
            .node();

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(node.status().message()).contains("Container b");
  }

  @Test
  @Rule({"TPC-24", "DEC-14"})
  void a_restart_of_all_containers_wins_over_the_end() {
    var node =
        pod(NEVER)
            .c("main", exitAfter(0, seconds(5)), forever())
            .onCompletion()
            .c("src", exitAfter(42, seconds(5)), forever())
            .pol(NEVER)
            .rules(all(42))
            .node();

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
    assertThat(node.status("main").restartCount()).isEqualTo(1);
  }

  @Test
  @Rule({"ACC-130", "GATE-17", "GATE-19"})
  void without_its_gate_on_completion_does_nothing_until_it_is_on_again() {
    var node = pod(NEVER).c("main", exit(0)).onCompletion().c("helper").node();
    node.switchOff(RuleGate.TERMINATE_POD_ON_COMPLETION);
    node.run(MINUTE);
    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);

    node.settings = NodeSettings.product();
    node.restartNode();
    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  @Rule({"ACC-131", "TPC-26"})
  void a_restart_of_the_node_does_not_forget_the_end() {
    var node =
        pod(NEVER)
            .c("main", exitAfter(0, seconds(5)))
            .onCompletion()
            .c("helper", forever().onSignal(seconds(5), 1))
            .node();
    node.run(seconds(7));
    node.restartNode();

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  @Rule("TPC-21")
  void what_never_ran_stays_waiting_and_what_waited_is_lost() {
    var node =
        pod(NEVER)
            .i("i", exitAfter(9, seconds(5)))
            .pol(NEVER)
            .rules(on(TERMINATE_POD, 9))
            .c("m")
            .node();

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.status("m").state()).isEqualTo(new Waiting("PodInitializing", ""));
  }
}
