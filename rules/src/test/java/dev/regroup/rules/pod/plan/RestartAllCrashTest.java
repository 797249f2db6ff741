package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.RestartPolicy.ALWAYS;
import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.pod.plan.Pods.all;
import static dev.regroup.rules.pod.plan.Pods.pod;
import static dev.regroup.rules.pod.plan.Pods.simple;
import static dev.regroup.rules.pod.plan.Script.Run.exit;
import static dev.regroup.rules.pod.plan.Script.Run.exitAfter;
import static dev.regroup.rules.pod.plan.Script.Run.forever;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.RestartCycle;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A restart of all containers when the node, the machine or the sandbox is lost on the way. */
class RestartAllCrashTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final PodCondition.Type CONDITION = PodCondition.Type.ALL_CONTAINERS_RESTARTING;

  private static Duration seconds(int n) {
    return Duration.ofSeconds(n);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22})
  @Rule({"RAC-70", "RAC-71", "RAC-74", "ACC-078", "ACC-079", "ACC-080", "RAC-02"})
  void a_crash_at_any_effect_leaves_exactly_one_cycle(int at) {
    var node = simple().s("side").node();
    node.apiReachable = false;
    int[] effects = {0};
    node.chaos =
        (effect, before) -> {
          if (++effects[0] == at) {
            throw new SimNode.Fault(true);
          }
        };

    node.run(Duration.ofMinutes(2));

    node.assertRestartedOnce("init", "side", "src", "reg");
    assertThat(node.cycle.epoch()).isEqualTo(1);
    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
    assertThat(node.started).hasSize(8);
  }

  @Test
  @Rule({"RAC-72", "RAC-18", "ACC-081"})
  void a_reboot_in_phase_one_makes_a_new_sandbox_and_goes_on() {
    var node = simple().c("deaf", forever().deaf()).node();
    node.run(seconds(6));
    assertThat(node.cycle.terminating()).isTrue();
    node.reboot();

    node.run(MINUTE);

    assertThat(node.sandboxes).isEqualTo(2);
    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
    node.assertRestartedOnce("init", "src", "reg", "deaf");
  }

  @Test
  @Rule({"RAC-73", "ACC-082"})
  void a_reboot_in_phase_two_starts_over_even_under_never() {
    var node =
        pod(NEVER)
            .i("init", exit(0), exitAfter(0, MINUTE))
            .c("src", exit(42), forever())
            .pol(NEVER)
            .rules(all(42))
            .node();
    node.run(seconds(10));
    node.reboot();

    node.run(Duration.ofMinutes(3));

    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
    assertThat(node.sandboxes).isEqualTo(2);
  }

  @Test
  @Rule({"SEQ-25", "ACC-051"})
  void a_lost_sandbox_restarts_everything_in_order() {
    var node = pod(ALWAYS).i("i1").s("s1").c("m").node();
    node.run(MINUTE);
    node.reboot();

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("i1", "s1", "m", "i1", "s1", "m");
    node.assertRestartedOnce("i1", "s1", "m");
    assertThat(node.eventTexts("SandboxChanged")).hasSize(1);
  }

  @Test
  @Rule("SEQ-25")
  void a_lost_sandbox_ends_a_pod_that_nothing_may_restart() {
    var node = pod(NEVER).c("m").node();
    node.run(MINUTE);
    node.reboot();

    node.run(MINUTE);

    assertThat(node.sandboxes).isEqualTo(1);
    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
  }

  @Test
  @Rule({"RAC-15", "RAC-77", "ACC-099"})
  void a_removal_that_fails_is_tried_again_with_the_condition_true() {
    var node = simple().node();
    int[] failures = {0};
    node.chaos =
        (effect, before) -> {
          if (effect instanceof Effect.Remove && before && failures[0] < 2) {
            failures[0]++;
            throw new SimNode.Fault(false);
          }
        };

    node.run(MINUTE);

    node.assertRestartedOnce("init", "src", "reg");
    assertThat(node.conditionHistory(CONDITION)).containsExactly("False", "True", "False");
  }

  @Test
  @Rule({"RAC-09", "ACC-109", "CND-12", "RAC-07"})
  void a_client_that_sets_the_condition_causes_no_cycle() {
    var node = simple().node();
    node.run(seconds(2));
    var forged =
        node.status().conditions().stream()
            .map(c ->
                c.type() == CONDITION
                    ? new PodCondition(CONDITION, PodCondition.Status.TRUE, "x", "y", node.now)
                    : c)
            .toList();
    node.published =
        new PodStatus(
            Phase.RUNNING, "", "", forged, node.status().containers(), node.status().attempt());
    node.restartNode();
    node.run(seconds(2));

    assertThat(node.status().isTrue(CONDITION)).isFalse();
    assertThat(node.cycle).isEqualTo(RestartCycle.FIRST);
  }

  @Test
  @Rule("RAC-07")
  void only_without_any_record_is_the_condition_believed() {
    var node = simple().node();
    node.lastStatus =
        new PodStatus(
            Phase.RUNNING,
            "",
            "",
            List.of(new PodCondition(CONDITION, PodCondition.Status.TRUE, "x", "y", node.now)),
            List.of(),
            java.util.OptionalInt.empty());

    node.settle();

    assertThat(node.cycle.epoch()).isEqualTo(1);
  }

  @Test
  @Rule({"RAC-33", "STS-11"})
  void the_last_state_survives_a_restart_of_the_node_and_the_next_end_replaces_it() {
    var node = simple().node();
    node.run(MINUTE);
    node.published = PodStatus.NONE;
    node.restartNode();
    node.run(MINUTE);

    assertThat(((ContainerState.Terminated) node.status("src").lastState()).exitCode())
        .isEqualTo(42);
  }
}
