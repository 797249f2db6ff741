package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.RestartPolicy.ALWAYS;
import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.pod.plan.Pods.all;
import static dev.regroup.rules.pod.plan.Pods.pod;
import static dev.regroup.rules.pod.plan.Script.Run.exit;
import static dev.regroup.rules.pod.plan.Script.Run.exitAfter;
import static dev.regroup.rules.pod.plan.Script.Run.forever;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerState.Running;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.NodeSettings.PhaseDuringRestart;
import dev.regroup.rules.pod.NodeSettings.PodRestartBackOff;
import dev.regroup.rules.pod.Observed.Deletion;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer.ProbeResult;
import dev.regroup.rules.pod.StopReason;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** Phase, conditions and statuses (node.md section 6) where no scenario asks for them. */
class StatusTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static Duration seconds(int n) {
    return Duration.ofSeconds(n);
  }

  private static SimNode restarting() {
    return pod(NEVER)
        .i("init", exitAfter(0, seconds(1)), exitAfter(0, seconds(20)))
        .s("side")
        .c("src", exitAfter(42, seconds(5)), forever())
        .pol(NEVER)
        .rules(all(42))
        .c("deaf", forever().deaf())
        .node();
  }

  @Test
  @Rule({"STS-01", "STS-04"})
  void a_running_init_container_makes_the_pod_pending_and_a_waiting_regular_one_too() {
    var node = pod(ALWAYS).i("i", exitAfter(0, seconds(20))).c("m").node();
    node.run(seconds(10));
    assertThat(node.status().phase()).isEqualTo(Phase.PENDING);

    node.run(seconds(20));

    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  @Rule({"STS-02", "STS-04"})
  void a_sidecar_that_is_not_started_keeps_the_pod_pending() {
    var node = pod(ALWAYS).s("s").probe(ProbeKind.STARTUP, MINUTE).c("m").node();
    node.run(seconds(5));
    assertThat(node.status().phase()).isEqualTo(Phase.PENDING);
    node.running("s").orElseThrow().probes.put(ProbeKind.STARTUP, ProbeResult.SUCCESS);
    node.run(seconds(5));
    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  @Rule({"STS-03", "STS-05"})
  void a_stopped_container_that_may_start_again_keeps_the_pod_running() {
    var node = pod(ALWAYS).c("a", exit(1)).c("b", exit(1)).node();

    node.run(seconds(5));

    assertThat(node.status("a").state()).isInstanceOf(Waiting.class);
    assertThat(node.status("b").state()).isInstanceOf(Waiting.class);
    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  @Rule("STS-07")
  void a_deleted_pod_that_never_ran_fails() {
    var node = pod(ALWAYS).c("m").node();
    node.deletion = new Deletion.Asked(node.now, seconds(30));

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.started).isEmpty();
    assertThat(node.sandboxes).isZero();
  }

  @Test
  @Rule("STS-30")
  void unready_containers_are_named_in_order() {
    var node =
        pod(ALWAYS)
            .s("s")
            .probe(ProbeKind.READINESS, MINUTE)
            .c("z")
            .probe(ProbeKind.READINESS, MINUTE)
            .c("y")
            .c("b")
            .probe(ProbeKind.READINESS, MINUTE)
            .node();

    node.run(seconds(5));

    var condition = node.status().condition(PodCondition.Type.CONTAINERS_READY).orElseThrow();
    assertThat(condition.reason()).isEqualTo("ContainersNotReady");
    assertThat(condition.message()).isEqualTo("containers with unready status: [s z b]");
  }

  @Test
  @Rule({"STS-30", "CND-04"})
  void an_ended_pod_says_how_it_ended() {
    var good = pod(NEVER).c("m", exit(0)).pol(NEVER).rules(all(42)).node();
    var bad = pod(NEVER).c("m", exit(1)).pol(NEVER).rules(all(42)).node();
    good.run(MINUTE);
    bad.run(MINUTE);

    for (var type :
        new PodCondition.Type[] {
          PodCondition.Type.READY,
          PodCondition.Type.CONTAINERS_READY,
          PodCondition.Type.ALL_CONTAINERS_RESTARTING
        }) {
      assertThat(good.status().condition(type).orElseThrow().reason()).isEqualTo("PodCompleted");
      assertThat(bad.status().condition(type).orElseThrow().reason()).isEqualTo("PodFailed");
    }
  }

  @Test
  @Rule({"RAC-30", "RAC-34"})
  void while_containers_are_removed_nothing_is_ready_started_or_has_an_id() {
    var node = restarting();

    node.run(MINUTE);

    var removed =
        node.history.stream()
            .flatMap(s -> s.containers().stream())
            .filter(c ->
                c.state() instanceof Waiting(String reason, String message)
                    && reason.equals("RestartingAllContainers")
                    && message.equals(
                        "The container is removed because RestartAllContainers in place"))
            .toList();
    assertThat(removed).extracting(ContainerStatus::name).contains("init", "side", "src", "deaf");
    assertThat(removed)
        .allMatch(c -> !c.ready() && !c.started() && c.containerId().equals(ContainerId.NONE));
  }

  @Test
  @Rule("RAC-30")
  void once_phase_two_begins_those_that_wait_show_the_ordinary_reason() {
    var node = restarting();

    node.run(seconds(15));

    assertThat(node.running("init")).isPresent();
    assertThat(node.status("src").state()).isEqualTo(new Waiting("PodInitializing", ""));
    assertThat(node.status("src").restartCount()).isEqualTo(1);
  }

  @Test
  @Rule({"RAC-40", "ACC-095"})
  void a_failure_of_the_old_instance_never_kills_the_new_one() {
    var node =
        pod(NEVER)
            .c("src", exitAfter(42, seconds(5)), forever())
            .pol(NEVER)
            .rules(all(42))
            .c("v", forever().deaf(), forever())
            .probe(ProbeKind.LIVENESS, seconds(20))
            .node();
    node.run(seconds(4));
    node.running("v").orElseThrow().probes.put(ProbeKind.LIVENESS, ProbeResult.FAILURE);

    node.run(MINUTE);

    assertThat(node.status("v").restartCount()).isEqualTo(1);
    assertThat(node.status("src").restartCount()).isEqualTo(1);
  }

  @Test
  @Rule({"RAC-42", "ACC-116"})
  void a_startup_probe_that_fails_after_the_restart_has_its_usual_consequence() {
    var node =
        pod(NEVER)
            .c("src", exitAfter(42, seconds(5)), exitAfter(0, seconds(40)))
            .pol(NEVER)
            .rules(all(42))
            .c("v")
            .probe(ProbeKind.STARTUP, seconds(3))
            .node();
    node.run(seconds(20));
    node.running("v").orElseThrow().probes.put(ProbeKind.STARTUP, ProbeResult.FAILURE);
    node.run(seconds(10));
    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);

    node.run(MINUTE);

    assertThat(node.status("v").restartCount()).isEqualTo(1);
    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
  }

  @Test
  @Rule({"RAC-69", "ACC-101"})
  void an_image_changed_in_phase_one_costs_no_second_restart() {
    var node = restarting();
    node.run(seconds(7));
    assertThat(node.cycle.terminating()).isTrue();
    var containers = new ArrayList<>(node.spec.containers());
    containers.replaceAll(c -> c.name().equals("deaf") ? c.withImage("v2", "v2") : c);
    node.spec = PodSpec.of(node.spec.id(), node.spec.restartPolicy(), containers);

    node.run(MINUTE);

    assertThat(node.status("deaf").restartCount()).isEqualTo(1);
    assertThat(node.status("deaf").image()).isEqualTo("v2");
  }

  @Test
  @Rule({"RAC-75", "RAC-76", "ACC-083", "ACC-084"})
  void both_phases_complete_without_the_api_server() {
    var node = restarting();
    node.apiReachable = false;
    node.run(MINUTE);
    assertThat(node.published).isEqualTo(PodStatus.NONE);
    node.apiReachable = true;

    node.run(MINUTE);

    assertThat(node.published.container("src").orElseThrow().restartCount()).isEqualTo(1);
    assertThat(node.published.isTrue(PodCondition.Type.ALL_CONTAINERS_RESTARTING)).isFalse();
  }

  @Test
  @Rule("TPC-25")
  void without_a_chosen_container_the_end_of_one_ends_nothing() {
    var node = pod(NEVER).c("a", exit(0)).c("b").node();

    node.run(MINUTE);

    assertThat(node.status("b").state()).isInstanceOf(Running.class);
  }

  @Test
  @Rule({"TERM-07", "ACC-194"})
  void a_failed_probe_has_no_effect_on_a_pod_that_ends() {
    var node =
        pod(ALWAYS)
            .s("s", forever().onSignal(seconds(5), 0))
            .probe(ProbeKind.LIVENESS, Duration.ZERO)
            .c("m", forever().onSignal(seconds(10), 0))
            .probe(ProbeKind.LIVENESS, Duration.ZERO)
            .node();
    node.run(seconds(5));
    node.deletion = new Deletion.Asked(node.now, seconds(30));
    node.run(seconds(1));
    node.records.values().forEach(r -> r.probes.put(ProbeKind.LIVENESS, ProbeResult.FAILURE));

    node.run(MINUTE);

    assertThat(node.started).hasSize(2);
    assertThat(node.started.get(1).ran()).isEqualTo(seconds(15));
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  @Rule("SEQ-21")
  void kills_come_before_starts() {
    var node = pod(ALWAYS).c("a", exitAfter(1, seconds(5)), forever()).c("b").node();
    node.run(seconds(4));
    node.running("b").orElseThrow().stopReason = StopReason.DEFINITION_CHANGED;
    node.now = SimNode.START.plusSeconds(5);

    node.look();

    var effects = node.plans.getLast().effects();
    assertThat(effects).hasSize(2);
    assertThat(effects.get(0)).isInstanceOf(Effect.Signal.class);
    assertThat(effects.get(1)).isInstanceOf(Effect.Start.class);
  }

  @Test
  @Rule({"PRB-02", "STS-18", "STS-19"})
  void before_the_first_run_a_probe_is_neither_ready_nor_a_reason_to_kill() {
    var node =
        pod(ALWAYS)
            .c("m")
            .probe(ProbeKind.LIVENESS, MINUTE)
            .probe(ProbeKind.READINESS, MINUTE)
            .probe(ProbeKind.STARTUP, MINUTE)
            .node();

    node.run(MINUTE);

    assertThat(node.status("m").restartCount()).isZero();
    assertThat(node.status("m").started()).isFalse();
    assertThat(node.status("m").ready()).isFalse();
  }

  @Test
  @Rule("GATE-09")
  void settings_of_the_product_and_of_upstream() {
    assertThat(NodeSettings.product().gates()).containsExactlyInAnyOrder(RuleGate.values());
    assertThat(NodeSettings.product().podRestartBackOff()).isEqualTo(PodRestartBackOff.ON);
    var upstream = NodeSettings.upstream();
    assertThat(upstream.gates())
        .containsExactlyInAnyOrder(
            RuleGate.CONTAINER_RESTART_RULES, RuleGate.RESTART_ALL_CONTAINERS);
    assertThat(upstream.podRestartBackOff()).isEqualTo(PodRestartBackOff.OFF);
    assertThat(upstream.phaseDuringRestart()).isEqualTo(PhaseDuringRestart.UPSTREAM);
  }
}
