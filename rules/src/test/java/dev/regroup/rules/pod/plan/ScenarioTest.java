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

import dev.regroup.rules.ExitRule;
import dev.regroup.rules.Rule;
import dev.regroup.rules.pod.ContainerState.Running;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.Observed.Deletion;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer.ProbeResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scenarios of one pod from its first start to its end, each with the number it has. */
class ScenarioTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final PodCondition.Type CONDITION = PodCondition.Type.ALL_CONTAINERS_RESTARTING;

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  private static int count(SimNode node, String container) {
    return node.status(container).restartCount();
  }

  private static int code(SimNode node, String container) {
    return ((Terminated) node.status(container).state()).exitCode();
  }

  private static void delete(SimNode node, int grace) {
    node.deletion = new Deletion.Asked(node.now, seconds(grace));
  }

  private static SimRecord first(SimNode node, String container) {
    return node.started.stream().filter(r -> r.container.equals(container)).findFirst().get();
  }

  @Test
  @Rule({"ACC-018", "ACC-105", "JB-110"})
  void a_pod_that_repairs_itself_never_fails() {
    var retried = pod(NEVER).c("main", exit(1), exit(0)).pol(ON_FAILURE).node();
    var restarted =
        pod(NEVER).c("main", exit(42), exit(0)).pol(NEVER).rules(all(42)).c("w", exit(0)).node();

    retried.run(MINUTE);
    restarted.run(MINUTE);

    assertThat(retried.phases()).containsExactly("Pending", "Running", "Succeeded");
    assertThat(restarted.phases())
        .containsExactly("Pending", "Running", "Pending", "Running", "Succeeded");
    assertThat(restarted.sandboxes).isEqualTo(1);
  }

  @Test
  @Rule({"ACC-046", "JB-110"})
  void a_sidecar_that_fails_while_it_is_stopped_spoils_nothing() {
    var node =
        pod(NEVER)
            .s("s1")
            .s("s2", forever().onSignal(Duration.ZERO, 1))
            .c("m", forever().onSignal(Duration.ZERO, 0))
            .node();
    node.run(seconds(10));

    delete(node, 30);
    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(code(node, "s2")).isEqualTo(1);
    assertThat(((Terminated) node.status("s2").state()).reason()).isEqualTo("Error");
  }

  @Test
  @Rule({"ACC-054", "ACC-057", "DEC-49"})
  void a_new_image_neither_hurries_a_start_nor_stops_an_end() {
    var node = withImage("v1").node();
    node.run(seconds(5));
    node.spec = withImage("v2").spec();
    node.run(seconds(5));
    assertThat(node.startOrder()).containsExactly("a");
    node.run(MINUTE);
    assertThat(first(node, "m").spec.image()).isEqualTo("v2");
    assertThat(count(node, "m")).isZero();

    delete(node, 5);
    node.settle();
    node.spec = withImage("v3").spec();
    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("a", "m");
    assertThat(node.plans.getLast().standing()).isEqualTo(PodPlan.Standing.REMOVABLE);
  }

  private static Pods withImage(String image) {
    return pod(ALWAYS)
        .i("a", exitAfter(0, seconds(20)))
        .c("m", forever().onSignal(seconds(3), 0))
        .image(image);
  }

  @Test
  @Rule({"ACC-063", "RAC-62"})
  void a_trigger_of_the_first_init_container_runs_the_others_once() {
    var node =
        pod(NEVER)
            .i("src", exit(42), exit(0))
            .pol(NEVER)
            .rules(all(42))
            .i("second")
            .c("reg")
            .node();

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("src", "src", "second", "reg");
    assertThat(count(node, "src")).isEqualTo(1);
    assertThat(count(node, "second")).isZero();
    assertThat(count(node, "reg")).isZero();
  }

  @Test
  @Rule({"ACC-073", "RAC-62"})
  void a_sidecar_can_trigger_before_any_regular_container_has_started() {
    var node =
        pod(NEVER)
            .s("src", exitAfter(42, seconds(2)), forever())
            .rules(all(42))
            .i("init", exitAfter(0, seconds(5)))
            .c("reg")
            .node();

    node.run(MINUTE);

    assertThat(count(node, "src")).isEqualTo(1);
    assertThat(count(node, "init")).isEqualTo(1);
    assertThat(count(node, "reg")).isZero();
    assertThat(node.phases()).containsExactly("Pending", "Running");
  }

  @Test
  @Rule({"ACC-076", "RAC-13", "HOOK-02"})
  void a_victim_gets_its_signal_but_not_its_hook() {
    var node =
        pod(NEVER)
            .c("src", exit(42), forever())
            .pol(NEVER)
            .rules(all(42))
            .c("v", forever().onSignal(seconds(1), 7))
            .preStop(seconds(1))
            .node();

    node.run(MINUTE);

    assertThat(((Terminated) node.status("v").lastState()).exitCode()).isEqualTo(7);
    assertThat(node.done).noneMatch(Effect.BeginStop.class::isInstance);
    assertThat(first(node, "v").finishedAt).isEqualTo(SimNode.START.plusSeconds(2));
  }

  @Test
  @Rule({"ACC-087", "RAC-67"})
  void a_pod_deleted_while_init_runs_again_starts_nothing_else() {
    var node =
        pod(NEVER)
            .i("init", exitAfter(0, seconds(5)))
            .c("src", exitAfter(42, seconds(1)), forever())
            .pol(NEVER)
            .rules(all(42))
            .node();
    node.run(seconds(8)); // the second run of init
    assertThat(node.running("init")).isPresent();

    delete(node, 30);
    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("init", "src", "init");
    assertThat(node.plans.getLast().standing()).isEqualTo(PodPlan.Standing.REMOVABLE);
    assertThat(code(node, "src")).isEqualTo(137);
    assertThat(((Terminated) node.status("src").state()).reason())
        .isEqualTo("ContainerStatusUnknown");
  }

  @Test
  @Rule({"ACC-092", "DEC-31", "RAC-51", "RAC-62", "BKO-09"})
  void an_init_container_that_triggers_on_success_loops_slowly_and_never_initializes() {
    var always =
        ExitRule.on(ExitRule.Action.RESTART_ALL_CONTAINERS, ExitRule.Operator.NOT_IN, List.of(42));
    var node = pod(NEVER).i("src", exit(0)).pol(NEVER).rules(always).c("m").node();

    node.run(seconds(60));

    assertThat(node.started).extracting(r -> r.container).containsOnly("src");
    assertThat(node.started).hasSizeBetween(3, 5); // at 0, 10, 20, 40 s
    assertThat(node.conditionHistory(PodCondition.Type.INITIALIZED)).containsExactly("False");
  }

  @Test
  @Rule({"ACC-096", "RAC-42"})
  void after_a_restart_startup_and_readiness_must_pass_again() {
    var node =
        pod(NEVER)
            .c("src", exitAfter(42, seconds(5)), forever())
            .pol(NEVER)
            .rules(all(42))
            .c("v")
            .probe(ProbeKind.STARTUP, MINUTE)
            .probe(ProbeKind.READINESS, MINUTE)
            .node();
    node.run(seconds(1));
    pass(node);
    node.run(seconds(1));
    assertThat(node.status("v").ready()).isTrue();

    node.run(seconds(20));
    assertThat(count(node, "v")).isEqualTo(1);
    assertThat(node.status("v").started()).isFalse();
    assertThat(node.status("v").ready()).isFalse();
    pass(node);
    node.run(seconds(1));

    assertThat(node.status("v").started()).isTrue();
    assertThat(node.conditionHistory(PodCondition.Type.READY))
        .containsExactly("False", "True", "False", "True");
  }

  private static void pass(SimNode node) {
    var probes = node.running("v").orElseThrow().probes;
    probes.put(ProbeKind.STARTUP, ProbeResult.SUCCESS);
    probes.put(ProbeKind.READINESS, ProbeResult.SUCCESS);
  }

  @Test
  @Rule({"ACC-100", "RAC-15", "TERM-11"})
  void a_victim_nobody_can_stop_holds_the_restart_until_the_pod_is_deleted() {
    var node = pod(NEVER).c("src", exit(42), forever()).pol(NEVER).rules(all(42)).c("v").node();
    node.chaos =
        (effect, before) -> {
          if (before && effect instanceof Effect.Signal signal && signal.container().equals("v")) {
            throw new SimNode.Fault(false);
          }
        };
    node.run(seconds(10));
    assertThat(node.status().isTrue(CONDITION)).isTrue();
    assertThat(node.started).hasSize(2);

    delete(node, 5);
    node.run(seconds(30));

    assertThat(node.done).anyMatch(Effect.KillSandbox.class::isInstance);
    assertThat(node.plans.getLast().standing()).isEqualTo(PodPlan.Standing.REMOVABLE);
    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
  }

  @Test
  @Rule({"ACC-113", "RAC-13"})
  void a_trigger_cuts_short_a_hook_that_already_runs() {
    var node =
        pod(ALWAYS)
            .c("src", exitAfter(42, seconds(10)), forever())
            .pol(NEVER)
            .rules(all(42))
            .c("v", forever().deaf())
            .preStop(seconds(600))
            .probe(ProbeKind.LIVENESS, seconds(900))
            .node();
    node.run(seconds(8));
    node.running("v").orElseThrow().probes.put(ProbeKind.LIVENESS, ProbeResult.FAILURE);

    node.run(MINUTE);

    assertThat(first(node, "v").finishedAt).isBeforeOrEqualTo(SimNode.START.plusSeconds(13));
    assertThat(node.startOrder()).containsExactly("src", "v", "src", "v");
    assertThat(count(node, "v")).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"ACC-115", "RAC-38"})
  void a_killed_init_container_that_lingers_does_not_fail_the_pod(boolean crash) {
    var node =
        pod(NEVER)
            .s("src", exitAfter(42, seconds(2)), forever())
            .rules(all(42))
            .i("long", exitAfter(0, seconds(10)))
            .c("m")
            .node();
    var fails = new boolean[] {true};
    node.chaos =
        (effect, before) -> {
          if (before && fails[0] && effect instanceof Effect.Remove) {
            fails[0] = false;
            throw new SimNode.Fault(crash);
          }
        };

    node.run(MINUTE);

    assertThat(fails[0]).isFalse();
    assertThat(node.phases()).containsExactly("Pending", "Running");
    assertThat(node.status("m").state()).isInstanceOf(Running.class);
    assertThat(count(node, "long")).isEqualTo(1);
  }

  @Test
  @Rule({"ACC-126", "TPC-20"})
  void a_helper_finishes_its_hook_before_it_is_told_to_stop() {
    var node =
        pod(NEVER)
            .grace(seconds(10))
            .c("main", exitAfter(0, seconds(5)))
            .onCompletion()
            .c("helper")
            .preStop(seconds(3))
            .node();

    node.run(MINUTE);

    assertThat(first(node, "helper").finishedAt).isEqualTo(SimNode.START.plusSeconds(8));
    assertThat(code(node, "helper")).isEqualTo(143);
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  @Rule({"ACC-127", "ACC-129", "TPC-20", "TPC-22"})
  void helpers_and_then_sidecars_end_with_the_chosen_container() {
    var node =
        pod(NEVER)
            .grace(seconds(5))
            .s("s1")
            .s("s2")
            .c("main", exitAfter(0, seconds(5)))
            .onCompletion()
            .c("helper", forever().deaf())
            .node();

    node.run(MINUTE);

    assertThat(first(node, "helper").finishedAt).isEqualTo(SimNode.START.plusSeconds(10));
    assertThat(code(node, "helper")).isEqualTo(137);
    assertThat(first(node, "s2").finishedAt)
        .isAfterOrEqualTo(first(node, "helper").finishedAt)
        .isBeforeOrEqualTo(first(node, "s1").finishedAt);
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  @Rule({"ACC-133", "TPC-20", "TPC-21"})
  void an_orchestrator_that_ends_cancels_its_tasks() {
    var node =
        pod(NEVER)
            .c("o", exitAfter(0, seconds(5)))
            .onCompletion()
            .c("t", forever().onSignal(seconds(4), 0))
            .node();

    node.run(MINUTE);

    assertThat(first(node, "t").finishedAt).isEqualTo(SimNode.START.plusSeconds(9));
    assertThat(code(node, "t")).isZero();
    assertThat(node.startOrder()).containsExactly("o", "t");
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  @Rule({"ACC-191", "HOOK-02"})
  void a_container_that_exits_itself_runs_no_hook() {
    var node = pod(NEVER).c("m", exit(0)).preStop(seconds(10)).node();

    node.run(MINUTE);

    assertThat(node.done).noneMatch(Effect.BeginStop.class::isInstance);
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(first(node, "m").finishedAt).isEqualTo(SimNode.START.plusSeconds(1));
  }

  @Test
  @Rule({"ACC-198", "STS-19", "STS-30"})
  void a_sidecar_that_is_not_ready_holds_the_pod_back_and_is_never_restarted() {
    var node = pod(NEVER).s("s").probe(ProbeKind.READINESS, MINUTE).c("m").node();
    node.run(seconds(5));
    node.running("s").orElseThrow().probes.put(ProbeKind.READINESS, ProbeResult.FAILURE);

    node.run(MINUTE);

    assertThat(count(node, "s")).isZero();
    var ready = node.status().condition(PodCondition.Type.CONTAINERS_READY).orElseThrow();
    assertThat(ready.message()).isEqualTo("containers with unready status: [s]");
    assertThat(node.status().isTrue(PodCondition.Type.READY)).isFalse();
  }

  @Test
  @Rule({"STS-02", "STS-04", "STS-33", "JB-110"})
  void a_pod_is_pending_until_its_sidecars_and_containers_have_started() {
    var node = pod(NEVER).s("s").probe(ProbeKind.STARTUP, MINUTE).c("m").c("n").node();
    node.startFails =
        start ->
            start.container().equals("n")
                ? Optional.of(
                    new Observed.StartFailure(
                        "ErrImagePull", "no image", SimNode.START.plusSeconds(3600)))
                : Optional.empty();
    node.run(seconds(5));
    assertThat(node.status().phase()).isEqualTo(Phase.PENDING);
    assertThat(node.status().isTrue(PodCondition.Type.POD_SCHEDULED)).isTrue();
    assertThat(node.status().isTrue(PodCondition.Type.POD_READY_TO_START_CONTAINERS)).isTrue();
    assertThat(node.status().isTrue(PodCondition.Type.INITIALIZED)).isFalse();
    node.running("s").orElseThrow().probes.put(ProbeKind.STARTUP, ProbeResult.SUCCESS);

    node.run(seconds(5));
    assertThat(node.status("m").state()).isInstanceOf(Running.class);
    assertThat(node.status("n").state()).isInstanceOf(Waiting.class);
    assertThat(node.status().phase()).isEqualTo(Phase.PENDING); // one container never ran
    assertThat(node.status().isTrue(PodCondition.Type.INITIALIZED)).isTrue();
  }
}
