package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.RestartPolicy.ALWAYS;
import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.RestartPolicy.ON_FAILURE;
import static dev.regroup.rules.pod.plan.Pods.all;
import static dev.regroup.rules.pod.plan.Pods.pod;
import static dev.regroup.rules.pod.plan.Script.Run.exit;
import static dev.regroup.rules.pod.plan.Script.Run.forever;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.Rule;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerState.Running;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Observed.Deletion;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer.ProbeResult;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What others get to see between two states, not only the last one. */
class ShownStatusTest {
  private static final Duration SHORT = Duration.ofSeconds(5);
  private static final Script.Run OBEDIENT = forever().onSignal(Duration.ofSeconds(1), 0);

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "ON_FAILURE", "NEVER"})
  @Rule({"ACC-053", "DEC-49", "IMM-03"})
  void a_container_replaced_for_its_image_is_never_shown_ended(RestartPolicy policy) {
    var node = pod(policy).c("a", OBEDIENT).c("b").node();
    node.run(SHORT);

    node.spec =
        PodSpec.of(
            Pods.ID,
            policy,
            node.spec.containers().stream()
                .map(c -> c.name().equals("a") ? c.withImage("new", "new") : c)
                .toList());
    node.run(SHORT);

    assertThat(node.status("a").restartCount()).isEqualTo(1);
    assertThat(node.status("a").lastState()).isInstanceOf(Terminated.class);
    assertThat(shown(node, "a")).noneMatch(Terminated.class::isInstance);
  }

  @Test
  @Rule({"DEC-48", "IMM-03"})
  void a_container_that_ends_well_after_a_probe_kill_is_never_shown_ended() {
    var node = pod(ON_FAILURE).c("m", OBEDIENT).probe(ProbeKind.LIVENESS, SHORT).node();
    node.run(SHORT);
    node.running("m").orElseThrow().probes.put(ProbeKind.LIVENESS, ProbeResult.FAILURE);
    node.run(SHORT);

    assertThat(node.status("m").restartCount()).isEqualTo(1);
    assertThat(shown(node, "m")).noneMatch(Terminated.class::isInstance);
  }

  @Test
  @Rule({"DEC-48", "TERM-06"})
  void a_container_stopped_for_a_probe_is_shown_ended_when_the_pod_ends_first() {
    var node = pod(ALWAYS).c("m", OBEDIENT).probe(ProbeKind.LIVENESS, SHORT).node();
    node.run(SHORT);
    node.running("m").orElseThrow().probes.put(ProbeKind.LIVENESS, ProbeResult.FAILURE);
    node.settle();
    node.deletion = new Deletion.Asked(node.now, SHORT);
    node.run(SHORT);

    assertThat(node.status("m").state())
        .isInstanceOfSatisfying(Terminated.class, ended -> assertThat(ended.exitCode()).isZero());
  }

  @Test
  @Rule({"ACC-041", "SEQ-05", "STS-32"})
  void a_sidecar_that_ended_well_after_a_failed_startup_probe_leaves_the_pod_uninitialized() {
    var node =
        pod(NEVER)
            .s("s", forever().onSignal(Duration.ZERO, 0))
            .probe(ProbeKind.STARTUP, SHORT)
            .c("m")
            .node();
    node.run(SHORT);
    node.running("s").orElseThrow().probes.put(ProbeKind.STARTUP, ProbeResult.FAILURE);
    node.run(SHORT);

    assertThat(node.status("s").restartCount()).isEqualTo(1);
    assertThat(node.conditionHistory(PodCondition.Type.INITIALIZED)).containsExactly("False");
    assertThat(node.startOrder()).containsOnly("s");
  }

  @Test
  @Rule({"ACC-048", "STS-07", "STS-30", "STS-32"})
  void a_pod_deleted_during_init_fails_but_its_conditions_tell_what_was_missing() {
    var node = pod(NEVER).s("s1", OBEDIENT).i("i2", OBEDIENT).i("i3").c("m").node();
    node.run(SHORT);
    node.deletion = new Deletion.Asked(node.now, SHORT);
    node.run(Duration.ofMinutes(1));

    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.status("i2").ready()).isTrue();
    assertThat(node.status("m").state()).isInstanceOf(Waiting.class);
    assertThat(condition(node, PodCondition.Type.READY))
        .containsExactly("ContainersNotReady", "containers with unready status: [s1 m]");
    assertThat(condition(node, PodCondition.Type.INITIALIZED))
        .containsExactly("ContainersNotInitialized", "containers with incomplete status: [s1 i3]");
  }

  @Test
  @Rule({"ACC-087", "RAC-73", "STS-19"})
  void an_init_container_that_ends_well_while_its_pod_is_deleted_counts_as_done() {
    var node =
        pod(NEVER)
            .i("init", exit(0), OBEDIENT)
            .c("src", exit(42), forever())
            .pol(NEVER)
            .rules(all(42))
            .node();
    node.run(Duration.ofSeconds(20));
    assertThat(node.status("init").state()).isInstanceOf(Running.class);
    node.deletion = new Deletion.Asked(node.now, SHORT);
    node.run(Duration.ofMinutes(1));

    assertThat(node.status("init").restartCount()).isEqualTo(1);
    assertThat(node.status("init").ready()).isTrue();
    assertThat(condition(node, PodCondition.Type.READY)).containsExactly("PodFailed", "");
  }

  private static List<ContainerState> shown(SimNode node, String container) {
    return node.history.stream()
        .flatMap(status -> status.container(container).stream())
        .map(ContainerStatus::state)
        .toList();
  }

  private static List<String> condition(SimNode node, PodCondition.Type type) {
    var condition = node.status().condition(type).orElseThrow();
    return List.of(condition.reason(), condition.message());
  }
}
