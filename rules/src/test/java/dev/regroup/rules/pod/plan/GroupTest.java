package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.RestartPolicy.ON_FAILURE;
import static dev.regroup.rules.pod.plan.Pods.all;
import static dev.regroup.rules.pod.plan.Pods.pod;
import static dev.regroup.rules.pod.plan.Script.Run.exit;
import static dev.regroup.rules.pod.plan.Script.Run.exitAfter;
import static dev.regroup.rules.pod.plan.Script.Run.forever;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.pod.ContainerState.Running;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class GroupTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final OptionalInt NONE = OptionalInt.empty();

  private static SimNode worker() {
    return pod(NEVER).i("init").s("side").c("w").pol(NEVER).rules(all(1)).nodeAgent().node();
  }

  /** Reaches the barrier at attempt 0 and is let through. */
  private static void arrive(SimNode node) {
    node.group = GroupOrders.of(NONE, NONE);
    node.run(Duration.ofSeconds(5));
    node.group = GroupOrders.of(OptionalInt.of(0), NONE);
  }

  @Test
  @Rule("JS-165")
  void waits_at_the_barrier_with_its_attempt_reported() {
    var node = worker();
    node.group = GroupOrders.of(NONE, NONE);

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("init", "side");
    assertThat(node.status().attempt()).hasValue(0);
    assertThat(node.status("w").state())
        .isEqualTo(new Waiting("WaitingForBarrier", "waiting for the group at attempt 0"));
    assertThat(node.status().phase()).isEqualTo(Phase.PENDING);
  }

  @Test
  @Rule("JS-165")
  void does_not_report_an_attempt_before_sidecars_are_up_or_it_is_durable() {
    var node = worker();
    node.group = GroupOrders.of(NONE, NONE);

    node.run(MINUTE);

    for (int index = 0; index < node.history.size(); index++) {
      if (node.history.get(index).attempt().isPresent()) {
        assertThat(node.history.get(index).container("side").orElseThrow().started()).isTrue();
        break;
      }
    }
    int first = 0;
    while (node.history.get(first).attempt().isEmpty()) {
      first++;
    }
    assertThat(node.plans.get(first - 1).effects())
        .hasAtLeastOneElementOfType(Effect.Remember.class);
  }

  @Test
  @Rule("JS-165")
  void starts_workers_when_the_group_reaches_its_attempt() {
    var node = worker();
    node.group = GroupOrders.of(NONE, NONE);
    node.run(MINUTE);

    node.group = GroupOrders.of(OptionalInt.of(0), NONE);
    node.run(MINUTE);

    assertThat(node.status("w").state()).isInstanceOf(Running.class);
    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  @Rule({"JS-165a", "RAC-54", "CND-11"})
  void follows_the_group_order_and_takes_the_next_attempt() {
    var node = worker();
    arrive(node);
    node.run(MINUTE);

    node.group = GroupOrders.of(OptionalInt.of(0), OptionalInt.of(0));
    node.run(MINUTE);

    assertThat(node.status().attempt()).hasValue(1);
    assertThat(node.status("w").state()).isInstanceOf(Waiting.class);
    assertThat(node.status("w").restartCount()).isEqualTo(1);
    var condition =
        node.history.stream()
            .flatMap(s -> s.condition(PodCondition.Type.ALL_CONTAINERS_RESTARTING).stream())
            .filter(c -> c.status() == PodCondition.Status.TRUE)
            .findFirst()
            .orElseThrow();
    assertThat(condition.reason()).isEqualTo("GroupRestart");
    assertThat(condition.message()).isEqualTo("Pod is at attempt 0, the group moves on to 1");

    node.group = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    node.run(MINUTE);

    assertThat(node.status("w").state()).isInstanceOf(Running.class);
    assertThat(node.status("w").restartCount()).isEqualTo(1);
  }

  @Test
  @Rule({"RAC-73", "JS-160", "SEQ-25a"})
  void an_end_in_a_sandbox_that_is_gone_is_never_that_of_the_next_attempt() {
    var workers = pod(NEVER).c("w").pol(NEVER).rules(all(137)).c("x").pol(NEVER).rules(all(137));
    var rebooted = workers.nodeAgent().node();
    arrive(rebooted);
    rebooted.run(MINUTE);
    rebooted.group = GroupOrders.of(OptionalInt.of(0), OptionalInt.of(0));
    rebooted.run(MINUTE);
    rebooted.group = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    rebooted.chaos =
        (effect, before) -> {
          if (!before && effect instanceof Effect.Start(var name, _, _) && name.equals("w")) {
            rebooted.reboot(); // between the start of one worker and that of the other
            throw new SimNode.Fault(false);
          }
        };
    rebooted.settle();
    rebooted.chaos = (effect, before) -> {};

    rebooted.run(MINUTE);

    assertThat(rebooted.status().attempt()).hasValue(2);
    assertThat(rebooted.status("w").state())
        .isEqualTo(new Waiting("WaitingForBarrier", "waiting for the group at attempt 2"));
    int told = rebooted.history.size();
    rebooted.group = GroupOrders.of(OptionalInt.of(2), OptionalInt.of(1));
    rebooted.run(MINUTE);
    assertThat(rebooted.history.subList(told, rebooted.history.size()))
        .noneMatch(status -> status.container("w").orElseThrow().state() instanceof Terminated);
    assertThat(rebooted.status("w").state()).isInstanceOf(Running.class);
  }

  @Test
  @Rule({"JS-165a", "RAC-54"})
  void five_failures_in_a_row_are_never_slowed_down() {
    var node = pod(NEVER).c("w", exit(1)).pol(NEVER).rules(all(1)).nodeAgent().node();
    node.group = GroupOrders.of(NONE, NONE);
    for (int attempt = 0; attempt < 5; attempt++) {
      node.run(Duration.ofMillis(10));
      assertThat(node.status().attempt()).hasValue(attempt);
      node.group = GroupOrders.of(OptionalInt.of(attempt), NONE);
      node.run(Duration.ofSeconds(1));
      assertThat(node.started).hasSize(attempt + 1);
    }
  }

  @Test
  @Rule("JS-165a")
  void an_own_failure_and_the_order_that_follows_are_one_restart() {
    var node =
        pod(NEVER)
            .c("w", exitAfter(1, Duration.ofSeconds(10)), forever())
            .pol(NEVER)
            .rules(all(1))
            .nodeAgent()
            .node();
    arrive(node);
    node.run(Duration.ofSeconds(10));
    node.group = GroupOrders.of(OptionalInt.of(0), OptionalInt.of(0));

    node.run(MINUTE);
    node.group = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    node.run(MINUTE);

    assertThat(node.status("w").restartCount()).isEqualTo(1);
    assertThat(node.status().attempt()).hasValue(1);
    assertThat(node.status("w").state()).isInstanceOf(Running.class);
  }

  @Test
  @Rule("JS-165b")
  void without_news_of_the_group_nothing_is_lifted_and_nothing_restarts() {
    var node = worker();

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("init", "side");
    assertThat(node.status().attempt()).isEmpty();
    assertThat(node.status("w").state())
        .isEqualTo(
            new Waiting("WaitingForBarrier", "waiting for the group: its state is not known yet"));
  }

  @Test
  @Rule({"JS-165", "JS-165b", "AS-86"})
  void a_restart_of_the_node_changes_no_attempt_and_running_workers_go_on() {
    var node = worker();
    node.group = GroupOrders.of(NONE, NONE);
    node.run(MINUTE);
    node.group = GroupOrders.of(OptionalInt.of(0), NONE);
    node.run(MINUTE);
    node.group = GroupOrders.UNKNOWN;
    node.restartNode();

    node.run(MINUTE);

    assertThat(node.status().attempt()).hasValue(0);
    assertThat(node.startOrder()).containsExactly("init", "side", "w");
    assertThat(node.status("w").state()).isInstanceOf(Running.class);
  }

  @Test
  @Rule({"JS-165", "AS-87"})
  void a_restart_of_the_node_at_the_barrier_keeps_the_attempt() {
    var node = worker();
    node.group = GroupOrders.of(OptionalInt.of(3), OptionalInt.of(3));
    node.run(MINUTE);
    assertThat(node.status().attempt()).hasValue(4);
    node.restartNode();

    node.run(MINUTE);

    assertThat(node.status().attempt()).hasValue(4);
    assertThat(node.startOrder()).containsExactly("init", "side");
    node.group = GroupOrders.of(OptionalInt.of(4), OptionalInt.of(3));
    node.run(MINUTE);
    assertThat(node.startOrder()).containsExactly("init", "side", "w");
  }

  @Test
  @Rule("JS-165")
  void a_helper_behind_a_lifted_barrier_restarts_on_its_own() {
    var node =
        pod(NEVER)
            .c("w")
            .pol(NEVER)
            .rules(all(1))
            .c("helper", exit(3), forever())
            .pol(ON_FAILURE)
            .nodeAgent()
            .node();
    node.group = GroupOrders.of(NONE, NONE);
    node.run(MINUTE);
    node.group = GroupOrders.of(OptionalInt.of(0), NONE);
    node.run(Duration.ofMillis(500));
    node.group = GroupOrders.UNKNOWN;

    node.run(MINUTE);

    assertThat(node.status("helper").restartCount()).isEqualTo(1);
    assertThat(node.status("w").restartCount()).isZero();
  }

  @Test
  @Rule("JS-165")
  void an_old_reading_of_the_group_never_sends_a_pod_back() {
    var node = pod(NEVER).c("w", exit(1)).pol(NEVER).rules(all(1)).nodeAgent().node();
    node.group = GroupOrders.of(OptionalInt.of(3), NONE);
    node.run(Duration.ofMillis(10));
    node.group = GroupOrders.of(OptionalInt.of(4), NONE);
    node.run(Duration.ofMillis(10));
    node.group = GroupOrders.of(OptionalInt.of(3), NONE);

    node.run(MINUTE);

    assertThat(node.status().attempt()).hasValue(5);
  }

  @Test
  @Rule("JS-165")
  void a_pod_that_restarts_at_the_barrier_comes_back_to_the_same_attempt() {
    var node =
        pod(NEVER)
            .s("side", exitAfter(1, Duration.ofSeconds(10)), forever())
            .rules(all(1))
            .c("w")
            .nodeAgent()
            .node();
    node.group = GroupOrders.of(NONE, NONE);

    node.run(MINUTE);

    assertThat(node.status("side").restartCount()).isEqualTo(1);
    assertThat(node.status().attempt()).hasValue(0);
  }

  @Test
  @Rule("JS-127")
  void a_group_that_switched_the_barrier_off_holds_nobody() {
    var node = worker();
    node.group = GroupOrders.BYPASS;

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("init", "side", "w");
    assertThat(node.status().attempt()).isEmpty();
  }

  @Test
  @Rule({"JS-165", "SEQ-25"})
  void a_new_sandbox_takes_the_attempt_anew() {
    var node = worker();
    node.group = GroupOrders.of(NONE, NONE);
    node.run(MINUTE);
    node.reboot();
    node.group = GroupOrders.of(OptionalInt.of(1), NONE);

    node.run(MINUTE);

    assertThat(node.status().attempt()).hasValue(2);
    assertThat(node.sandboxes).isEqualTo(2);
  }
}
