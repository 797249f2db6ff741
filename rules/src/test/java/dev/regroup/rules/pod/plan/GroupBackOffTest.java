package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.RestartPolicy.ALWAYS;
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
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.Effect;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How fast pods of a group restart before and after the barrier lifts (RAC-54). */
class GroupBackOffTest {
  private static final OptionalInt NONE = OptionalInt.empty();
  private static final GroupOrders FIRST = GroupOrders.of(NONE, NONE);

  private static GroupOrders running(int attempt) {
    return GroupOrders.of(
        OptionalInt.of(attempt), attempt == 0 ? NONE : OptionalInt.of(attempt - 1));
  }

  private static GroupOrders ordered(int attempt) {
    return GroupOrders.of(OptionalInt.of(attempt), OptionalInt.of(attempt));
  }

  /** Seconds between the end of each run of a container and its next start. */
  private static List<Long> waits(SimNode node, String container) {
    var runs = node.started.stream().filter(r -> r.container.equals(container)).toList();
    return IntStream.range(1, runs.size())
        .mapToObj(
            n -> Duration.between(runs.get(n - 1).finishedAt, runs.get(n).startedAt).toSeconds())
        .toList();
  }

  @Test
  @Rule({"RAC-54", "ACC-091a", "RAC-51"})
  void an_init_container_that_fails_at_once_is_a_crash_loop() {
    var node =
        pod(NEVER)
            .i("setup", exit(1))
            .pol(NEVER)
            .rules(all(1))
            .c("w")
            .pol(NEVER)
            .rules(all(1))
            .nodeAgent()
            .node();
    node.group = FIRST;

    node.run(Duration.ofSeconds(150));

    assertThat(waits(node, "setup")).containsExactly(0L, 10L, 20L, 40L);
    assertThat(node.status("w").state())
        .isEqualTo(
            new Waiting(
                "CrashLoopBackOff", "back-off 1m20s restarting all containers pod=p_ns(uid-1)"));
    assertThat(node.status().attempt()).isEmpty();
  }

  @Test
  @Rule({"RAC-54", "ACC-091a"})
  void a_sidecar_agent_that_fails_at_once_is_a_crash_loop() {
    var node = pod(NEVER).s("agent", exit(1)).rules(all(1)).c("w").otherAgent("agent").node();
    node.group = FIRST;

    node.run(Duration.ofSeconds(75));

    assertThat(waits(node, "agent")).containsExactly(0L, 10L, 20L, 40L);
  }

  @Test
  @Rule({"RAC-54", "BKO-02"})
  void an_agent_that_restarts_alone_is_a_crash_loop_until_the_group_moves() {
    var node = pod(NEVER).c("w", exit(1)).pol(ALWAYS).otherAgent("w").node();
    node.group = FIRST;
    node.run(Duration.ofSeconds(35));
    assertThat(waits(node, "w")).containsExactly(0L, 10L, 20L);

    node.group = running(0); // it forgets the delay
    node.run(Duration.ofSeconds(5));

    assertThat(waits(node, "w").get(3)).isLessThan(6L);
  }

  @Test
  @Rule({"RAC-54", "ACC-091a"})
  void a_repaired_pod_goes_on_within_the_delay_and_fails_later_without_one() {
    var node =
        pod(NEVER)
            .i("setup", exit(1), exit(1), exit(0))
            .pol(NEVER)
            .rules(all(1))
            .c("w", exitAfter(1, Duration.ofSeconds(2)), forever())
            .pol(NEVER)
            .rules(all(1))
            .nodeAgent()
            .node();
    node.group = FIRST;
    node.run(Duration.ofSeconds(20));
    assertThat(node.status().attempt()).hasValue(0);

    node.group = running(0);
    node.run(Duration.ofSeconds(4));

    assertThat(waits(node, "setup").subList(0, 2)).containsExactly(0L, 10L);
    assertThat(node.status().attempt()).hasValue(1); // back at once: the worker had run
    node.group = running(1);
    node.run(Duration.ofSeconds(1));
    assertThat(node.status("w").state()).isInstanceOf(Running.class);
    assertThat(node.status("w").restartCount()).isEqualTo(1);
  }

  @Test
  @Rule("RAC-54")
  void a_group_order_ends_the_delay() {
    var node =
        pod(NEVER)
            .i("setup", exit(0), exit(1), exit(1), exit(0))
            .pol(NEVER)
            .rules(all(1))
            .c("w", exitAfter(1, Duration.ofSeconds(2)), forever())
            .pol(NEVER)
            .rules(all(1))
            .nodeAgent()
            .node();
    node.group = FIRST;
    node.run(Duration.ofSeconds(1));
    node.group = running(0);
    node.run(Duration.ofSeconds(5)); // the worker fails, then the set-up, again and again
    assertThat(node.status("w").state()).isInstanceOf(Waiting.class);
    assertThat(node.status().attempt()).isEmpty();

    node.group = ordered(0);
    node.run(Duration.ofSeconds(5));

    assertThat(node.status().attempt()).hasValue(1);
  }

  @Test
  @Rule("JS-169")
  void victims_of_a_restart_get_the_grace_their_pod_asks_for() {
    for (int seconds : new int[] {0, 2, 45}) {
      var node = pod(NEVER).c("src", exit(42), forever()).pol(NEVER).rules(all(42)).c("v").node();
      node.spec = node.spec.withRestartGrace(Duration.ofSeconds(seconds));

      node.run(Duration.ofMinutes(2));

      var signals =
          node.plans.stream()
              .flatMap(plan -> plan.effects().stream())
              .filter(Effect.Signal.class::isInstance)
              .map(Effect.Signal.class::cast)
              .map(Effect.Signal::timeout)
              .toList();
      assertThat(signals).containsOnly(Duration.ofSeconds(seconds));
    }
  }

  @Test
  @Rule({"RAC-54", "BKO-09"})
  void a_helper_keeps_its_own_back_off_whatever_the_group_does() {
    var node =
        pod(NEVER)
            .c("w")
            .pol(NEVER)
            .rules(all(1))
            .c("helper", exit(3))
            .pol(ON_FAILURE)
            .nodeAgent()
            .node();
    node.group = FIRST;
    node.run(Duration.ofSeconds(1));
    node.group = running(0);
    node.run(Duration.ofSeconds(15));
    assertThat(waits(node, "helper")).containsExactly(0L, 10L);

    node.group = ordered(3); // another group's news would not help it either
    node.run(Duration.ofSeconds(1));

    assertThat(waits(node, "helper")).hasSizeLessThan(4);
  }
}
