package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.RestartPolicy.ALWAYS;
import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.RestartPolicy.ON_FAILURE;
import static dev.regroup.rules.pod.plan.Pods.all;
import static dev.regroup.rules.pod.plan.Pods.pod;
import static dev.regroup.rules.pod.plan.Pods.restart;
import static dev.regroup.rules.pod.plan.Script.Run.exit;
import static dev.regroup.rules.pod.plan.Script.Run.exitAfter;
import static dev.regroup.rules.pod.plan.Script.Run.forever;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.Rule;
import dev.regroup.rules.pod.BackOffMemory;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerState.Running;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodRestartRequest;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer.ProbeResult;
import dev.regroup.rules.pod.SeenContainer.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UpkeepTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static SimNode fail(SimNode node, String container, ProbeKind probe) {
    node.run(Duration.ofSeconds(5));
    node.running(container).orElseThrow().probes.put(probe, ProbeResult.FAILURE);
    node.run(MINUTE);
    return node;
  }

  private static Pods live(RestartPolicy policy) {
    return pod(policy)
        .c("m", forever().deaf(), forever())
        .probe(ProbeKind.LIVENESS, Duration.ofSeconds(7));
  }

  @Test
  @Rule({"ACC-180", "ACC-185", "DEC-48", "SEQ-22", "TERM-10", "PRB-04"})
  void a_failed_liveness_probe_restarts_with_the_probes_grace() {
    var node = fail(live(ALWAYS).c("other").node(), "m", ProbeKind.LIVENESS);

    assertThat(node.status("m").restartCount()).isEqualTo(1);
    assertThat(node.status("other").restartCount()).isZero();
    assertThat(Duration.between(SimNode.START, node.started.get(0).finishedAt))
        .isEqualTo(Duration.ofSeconds(12));
    assertThat(node.eventTexts("Killing"))
        .containsExactly("Container m failed liveness probe, will be restarted");
  }

  @Test
  @Rule("DEC-48")
  void on_failure_restarts_after_a_probe_kill_whatever_the_code() {
    var node =
        fail(
            pod(ON_FAILURE)
                .c("m", forever().onSignal(Duration.ZERO, 0))
                .probe(ProbeKind.STARTUP, MINUTE)
                .node(),
            "m",
            ProbeKind.STARTUP);

    assertThat(node.status("m").restartCount()).isEqualTo(1);
    assertThat(node.eventTexts("Killing"))
        .containsExactly("Container m failed startup probe, will be restarted");
  }

  @Test
  @Rule({"DEC-48", "SEQ-23"})
  void under_never_a_probe_kill_is_judged_by_its_code() {
    var dead = fail(live(NEVER).node(), "m", ProbeKind.LIVENESS);
    var ruled = fail(live(NEVER).pol(NEVER).rules(restart(137)).node(), "m", ProbeKind.LIVENESS);

    assertThat(dead.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(dead.eventTexts("Killing")).containsExactly("Stopping container m");
    assertThat(ruled.status("m").restartCount()).isEqualTo(1);
    assertThat(ruled.sandboxes).isEqualTo(1);
  }

  @Test
  @Rule({"ACC-097", "ACC-098", "DEC-48"})
  void a_rule_for_the_kill_restarts_all_containers_under_any_policy() {
    for (var policy : List.of(NEVER, ALWAYS)) {
      var node =
          fail(live(NEVER).pol(policy).rules(all(137)).c("b").node(), "m", ProbeKind.LIVENESS);

      assertThat(node.status("b").restartCount()).isEqualTo(1);
      assertThat(node.status("m").restartCount()).isEqualTo(1);
      assertThat(node.sandboxes).isEqualTo(1);
    }
  }

  @Test
  @Rule({"ACC-199", "SEQ-22"})
  void a_sidecar_that_fails_liveness_restarts_alone() {
    var node =
        fail(
            pod(NEVER).s("s").probe(ProbeKind.LIVENESS, MINUTE).c("m").node(),
            "s",
            ProbeKind.LIVENESS);

    assertThat(node.status("s").restartCount()).isEqualTo(1);
    assertThat(node.status("m").restartCount()).isZero();
    assertThat(node.eventTexts("Killing"))
        .containsExactly("Init container s failed liveness probe");
  }

  @Test
  @Rule({"ACC-183", "PRB-05", "STS-19"})
  void readiness_only_changes_ready() {
    var node = pod(ALWAYS).c("m").probe(ProbeKind.READINESS, MINUTE).node();
    node.run(MINUTE);
    assertThat(node.status("m").ready()).isFalse();
    assertThat(node.status().condition(PodCondition.Type.READY).orElseThrow().message())
        .isEqualTo("containers with unready status: [m]");

    node.running("m").orElseThrow().probes.put(ProbeKind.READINESS, ProbeResult.SUCCESS);
    node.run(MINUTE);
    assertThat(node.status().isTrue(PodCondition.Type.READY)).isTrue();

    node.running("m").orElseThrow().probes.put(ProbeKind.READINESS, ProbeResult.FAILURE);
    node.run(MINUTE);
    assertThat(node.status("m").restartCount()).isZero();
    assertThat(node.status().isTrue(PodCondition.Type.READY)).isFalse();
  }

  @Test
  @Rule({"ACC-059", "STS-40"})
  void ready_and_started_survive_a_restart_of_the_node() {
    var node =
        pod(ALWAYS)
            .c("m")
            .probe(ProbeKind.READINESS, MINUTE)
            .probe(ProbeKind.STARTUP, MINUTE)
            .node();
    node.run(Duration.ofSeconds(5));
    var probes = node.running("m").orElseThrow().probes;
    probes.put(ProbeKind.READINESS, ProbeResult.SUCCESS);
    probes.put(ProbeKind.STARTUP, ProbeResult.SUCCESS);
    node.run(MINUTE);
    node.restartNode();

    node.run(MINUTE);

    assertThat(node.status("m").ready()).isTrue();
    assertThat(node.status("m").started()).isTrue();
  }

  @Test
  @Rule({"ACC-197", "STS-31"})
  void readiness_gates_hold_ready_back() {
    var node = pod(ALWAYS).c("m").node();
    node.spec = node.spec.withReadinessGates(List.of("example.com/ok"));
    node.run(MINUTE);
    assertThat(node.status().isTrue(PodCondition.Type.CONTAINERS_READY)).isTrue();
    assertThat(node.status().condition(PodCondition.Type.READY).orElseThrow().reason())
        .isEqualTo("ReadinessGatesNotReady");

    node.conditions = java.util.Map.of("example.com/ok", "False");
    node.run(MINUTE);
    assertThat(node.status().condition(PodCondition.Type.READY).orElseThrow().message())
        .isEqualTo(
            "the status of pod readiness gate \"example.com/ok\" is not \"True\", but False");

    node.conditions = java.util.Map.of("example.com/ok", "True");
    node.run(MINUTE);

    assertThat(node.status().isTrue(PodCondition.Type.READY)).isTrue();
  }

  @Test
  @Rule({"ACC-192", "HOOK-01"})
  void a_failed_post_start_hook_kills_the_container() {
    var node = pod(ALWAYS).c("m").postStart(Duration.ofSeconds(-2)).node();

    node.run(Duration.ofSeconds(5));

    assertThat(node.startOrder()).hasSizeGreaterThan(1);
    assertThat(node.eventTexts("FailedPostStartHook").getFirst()).isEqualTo("PostStartHook failed");
    assertThat(node.eventTexts("Killing").getFirst()).isEqualTo("FailedPostStartHook");
  }

  private static void changeImage(SimNode node, String container) {
    var containers = new ArrayList<>(node.spec.containers());
    containers.replaceAll(c -> c.name().equals(container) ? c.withImage("v2", "v2") : c);
    node.spec = PodSpec.of(node.spec.id(), node.spec.restartPolicy(), containers);
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "ON_FAILURE", "NEVER"})
  @Rule({"ACC-053", "DEC-49", "DEC-50", "BKO-01"})
  void a_changed_image_restarts_that_container_under_every_policy(RestartPolicy policy) {
    var node =
        pod(policy)
            .c("a", forever().onSignal(Duration.ZERO, 42))
            .pol(policy)
            .rules(all(42))
            .c("b")
            .node();
    node.run(MINUTE);
    changeImage(node, "a");

    node.run(MINUTE);

    assertThat(node.status("a").restartCount()).isEqualTo(1);
    assertThat(node.status("a").state()).isInstanceOf(Running.class);
    assertThat(node.status("b").restartCount()).isZero();
    assertThat(node.eventTexts("Killing"))
        .containsExactly("Container a definition changed, will be restarted");
  }

  @Test
  @Rule({"ACC-055", "DEC-49"})
  void a_changed_image_of_an_init_container_restarts_nothing() {
    var node = pod(ALWAYS).i("i").c("m").node();
    node.run(MINUTE);
    changeImage(node, "i");

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("i", "m");
  }

  @Test
  @Rule({"ACC-056", "DEC-49"})
  void a_changed_image_of_a_sidecar_restarts_only_it() {
    var node = pod(NEVER).s("s").i("i").c("m").node();
    node.run(MINUTE);
    changeImage(node, "s");

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("s", "i", "m", "s");
  }

  @Test
  @Rule({"SEQ-25a", "DEC-10", "ACC-081a"})
  void a_lost_container_starts_again_alone_if_its_policy_says_so() {
    var node = pod(ALWAYS).c("m").c("n").node();
    node.run(MINUTE);
    node.lose(node.running("m").orElseThrow());
    var noticed = node.now;

    node.run(MINUTE);

    assertThat(node.status("m").restartCount()).isEqualTo(1);
    assertThat(node.status("m").state()).isInstanceOf(Running.class);
    var last = (Terminated) node.status("m").lastState();
    assertThat(last.exitCode()).isEqualTo(137);
    assertThat(last.reason()).isEqualTo("ContainerStatusUnknown");
    assertThat(last.finishedAt()).isEqualTo(noticed);
    assertThat(node.status("n").restartCount()).isZero();
  }

  @Test
  @Rule({"SEQ-25a", "DEC-10", "ACC-081a"})
  void a_lost_container_is_restarted_by_a_rule_for_137_under_never() {
    var node = pod(NEVER).c("m").pol(NEVER).rules(restart(137)).node();
    node.run(MINUTE);
    node.lose(node.running("m").orElseThrow());

    node.run(MINUTE);

    assertThat(node.status("m").restartCount()).isEqualTo(1);
    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  @Rule({"SEQ-25a", "DEC-10", "ACC-081a"})
  void a_lost_container_that_nothing_restarts_fails_its_pod() {
    var node = pod(NEVER).c("m").node();
    node.run(MINUTE);
    node.lose(node.running("m").orElseThrow());

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.startOrder()).containsExactly("m");
  }

  @Test
  @Rule({"SEQ-25a", "DEC-10"})
  void a_lost_init_container_fails_the_pod_under_never() {
    var node = pod(NEVER).i("i", exitAfter(0, MINUTE)).c("m").node();
    node.run(Duration.ofSeconds(5));
    node.lose(node.running("i").orElseThrow());

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.startOrder()).containsExactly("i");
  }

  @Test
  @Rule({"DEC-02", "SEQ-09"})
  void a_container_left_created_is_made_anew_under_the_same_number() {
    var node = pod(NEVER).c("m").node();
    node.run(MINUTE);
    node.records.values().forEach(r -> r.state = State.CREATED);

    node.run(MINUTE);

    assertThat(node.status("m").restartCount()).isZero();
    assertThat(node.status("m").state()).isInstanceOf(Running.class);
    assertThat(node.started).hasSize(2);
  }

  @Test
  void dead_records_beyond_the_last_one_are_cleared_away() {
    var node = pod(ALWAYS).c("m", exit(1), exit(1), exit(1), forever()).node();

    node.run(Duration.ofMinutes(5));

    assertThat(node.records.keySet())
        .containsExactlyInAnyOrder(new ContainerId("m-3"), new ContainerId("m-2"));
  }

  @Test
  @Rule({"BKO-02", "BKO-05", "BKO-08", "ACC-001", "ACC-019", "STS-05", "JS-124"})
  void back_off_doubles_up_to_the_limit() {
    var node =
        pod(NEVER)
            .c("main", exitAfter(42, Duration.ofSeconds(1)))
            .pol(NEVER)
            .rules(restart(42))
            .node();

    node.run(Duration.ofMinutes(30));

    var waits = new ArrayList<Long>();
    for (int n = 1; n < 9; n++) {
      waits.add(
          Duration.between(node.started.get(n - 1).finishedAt, node.started.get(n).startedAt)
              .toSeconds());
    }
    assertThat(waits).containsExactly(0L, 10L, 20L, 40L, 80L, 160L, 300L, 300L);
    assertThat(node.phases()).containsExactly("Pending", "Running");
    assertThat(node.status("main").state())
        .isEqualTo(
            new Waiting(
                "CrashLoopBackOff",
                "back-off 5m0s restarting failed container=main pod=p_ns(uid-1)"));
    assertThat(((Terminated) node.status("main").lastState()).exitCode()).isEqualTo(42);
    assertThat(node.eventTexts("BackOff"))
        .hasSize(node.started.size() - 1)
        .allMatch(t -> t.equals("Back-off restarting failed container main in pod p_ns(uid-1)"));
  }

  @Test
  @Rule({"BKO-03", "ACC-020"})
  void a_long_run_is_forgiven() {
    var node = pod(ALWAYS).c("m", exitAfter(1, Duration.ofMinutes(11))).node();

    node.run(Duration.ofMinutes(40));

    assertThat(node.started.get(2).startedAt).isEqualTo(node.started.get(1).finishedAt);
  }

  @Test
  @Rule({"BKO-04"})
  void success_backs_off_too() {
    var node = pod(ALWAYS).c("m", exit(0)).node();

    node.run(Duration.ofSeconds(10));

    assertThat(node.started).hasSize(2);
  }

  @Test
  @Rule({"BKO-06", "ACC-021"})
  void a_restart_of_the_node_clears_the_wait() {
    var node = pod(ALWAYS).c("m", exit(1)).node();
    node.run(Duration.ofMinutes(4));
    int before = node.started.size();
    node.restartNode();

    node.run(Duration.ofMillis(10));

    assertThat(node.started).hasSize(before + 1);
  }

  @Test
  @Rule("BKO-10")
  void an_exit_in_the_future_counts_as_now_and_does_not_extend_the_wait() {
    var settings = NodeSettings.product();
    var now = SimNode.START;
    var memory = new ContainerBackOff(BackOffMemory.EMPTY, settings, now);
    memory.ask(new ContainerBackOff.Key("k", ""), 0, now);
    var later = now.plusSeconds(1);
    var first = new ContainerBackOff(memory.memory(), settings, later);

    var due = first.ask(new ContainerBackOff.Key("k", ""), 1, later.plusSeconds(1000));
    var again = new ContainerBackOff(first.memory(), settings, later.plusSeconds(5));

    assertThat(due.at()).isEqualTo(later.plusSeconds(10));
    assertThat(again.ask(new ContainerBackOff.Key("k", ""), 1, later.plusSeconds(1000)).at())
        .isEqualTo(later.plusSeconds(10));
  }

  @Test
  @Rule({"GATE-06"})
  void the_limit_comes_from_the_settings() {
    var product = NodeSettings.product();
    var small =
        new NodeSettings(
            product.gates(),
            product.podRestartBackOff(),
            product.phaseDuringRestart(),
            product.conditionNames(),
            Duration.ofSeconds(10),
            Duration.ofSeconds(4));

    assertThat(small.backOffInitial()).isEqualTo(Duration.ofSeconds(4));
  }

  @Test
  void durations_print_as_go_does() {
    assertThat(ContainerBackOff.text(Duration.ofSeconds(10))).isEqualTo("10s");
    assertThat(ContainerBackOff.text(Duration.ofSeconds(80))).isEqualTo("1m20s");
    assertThat(ContainerBackOff.text(Duration.ofMinutes(5))).isEqualTo("5m0s");
    assertThat(ContainerBackOff.text(Duration.ofSeconds(3661))).isEqualTo("1h1m1s");
  }

  @Test
  @Rule({"RAC-08", "SEQ-30"})
  void a_request_for_one_container_restarts_only_that_one_once() {
    var node = pod(NEVER).c("a").c("b").node();
    node.run(MINUTE);
    node.request = new PodRestartRequest.Asked("r1", "why", Duration.ZERO, "a");

    node.run(MINUTE);
    node.restartNode();
    node.run(MINUTE);

    assertThat(node.status("a").restartCount()).isEqualTo(1);
    assertThat(node.status("b").restartCount()).isZero();
    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  @Rule({"RAC-08"})
  void a_request_that_names_nothing_is_ignored_with_an_event() {
    var node = pod(NEVER).c("a").node();
    node.run(MINUTE);
    node.request = new PodRestartRequest.Asked("r1", "why", Duration.ZERO, "zz");

    node.run(MINUTE);

    assertThat(node.eventTexts("RestartRequestIgnored"))
        .containsExactly("request r1: no regular container or sidecar is named \"zz\"");
    assertThat(node.started).hasSize(1);
  }

  @Test
  @Rule({"RAC-08", "ACC-172"})
  void a_request_restarts_the_pod_once_and_an_ended_pod_never() {
    var node = pod(NEVER).i("init").c("a", forever(), exitAfter(0, Duration.ofMinutes(3))).node();
    node.run(MINUTE);
    node.request = new PodRestartRequest.Asked("r1", "new data", Duration.ZERO, "");
    node.run(MINUTE);
    assertThat(node.status("a").restartCount()).isEqualTo(1);
    assertThat(node.history)
        .anyMatch(s ->
            s.condition(PodCondition.Type.ALL_CONTAINERS_RESTARTING)
                .filter(c -> c.reason().equals("Requested"))
                .filter(c -> c.message().equals("Request r1: new data"))
                .isPresent());
    node.run(Duration.ofMinutes(10));
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);

    node.request = new PodRestartRequest.Asked("r2", "again", Duration.ZERO, "");
    node.run(MINUTE);

    assertThat(node.eventTexts("RestartRequestIgnored"))
        .containsExactly("request r2: the pod is ending");
    assertThat(node.startOrder()).hasSize(4);
  }
}
