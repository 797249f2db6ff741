package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.RestartPolicy.ALWAYS;
import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.RestartPolicy.ON_FAILURE;
import static dev.regroup.rules.pod.plan.Pods.pod;
import static dev.regroup.rules.pod.plan.Pods.restart;
import static dev.regroup.rules.pod.plan.Pods.restartNotIn;
import static dev.regroup.rules.pod.plan.Script.Run.exit;
import static dev.regroup.rules.pod.plan.Script.Run.exitAfter;
import static dev.regroup.rules.pod.plan.Script.Run.forever;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerState.Running;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Observed.StartFailure;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer.ProbeResult;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InitOrderTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @Test
  @Rule({"ACC-030", "SEQ-01", "SEQ-02", "STS-32"})
  void starts_init_entries_strictly_in_order() {
    var node = pod(NEVER).i("a").i("b").c("m", exit(0)).node();

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("a", "b", "m");
    assertThat(node.started.get(1).startedAt).isEqualTo(node.started.get(0).finishedAt);
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(node.conditionHistory(PodCondition.Type.INITIALIZED))
        .containsExactly("False", "True");
    assertThat(node.phases()).containsExactly("Pending", "Running", "Succeeded");
    assertThat(node.status().condition(PodCondition.Type.INITIALIZED).orElseThrow().reason())
        .isEqualTo("PodCompleted");
  }

  @Test
  @Rule({"ACC-031", "DEC-33", "STS-12", "STS-32", "STS-04", "JB-111"})
  void fails_when_init_fails_under_never() {
    var node = pod(NEVER).i("a", exit(1)).i("b").c("m").node();

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("a");
    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.status("b").state()).isEqualTo(new Waiting("PodInitializing", ""));
    assertThat(node.status("m").state()).isEqualTo(new Waiting("PodInitializing", ""));
    var initialized = node.status().condition(PodCondition.Type.INITIALIZED).orElseThrow();
    assertThat(initialized.status()).isEqualTo(PodCondition.Status.FALSE);
    assertThat(initialized.message()).isEqualTo("containers with incomplete status: [a b]");
    assertThat(initialized.reason()).isEqualTo("ContainersNotInitialized");
  }

  @Test
  @Rule({"ACC-032", "DEC-32", "BKO-07"})
  void restarts_a_failing_init_container_with_back_off_under_always() {
    var node = pod(ALWAYS).i("a", exit(1)).i("b").c("m").node();

    node.run(MINUTE);

    assertThat(node.status("a").restartCount()).isEqualTo(3);
    assertThat(node.startOrder()).containsOnly("a");
    assertThat(node.phases()).containsExactly("Pending");
    assertThat(node.status("a").state())
        .isEqualTo(
            new Waiting(
                "CrashLoopBackOff", "back-off 40s restarting failed container=a pod=p_ns(uid-1)"));
  }

  @Test
  @Rule({"ACC-033", "DEC-34"})
  void an_init_containers_own_never_beats_the_pods_always() {
    var node = pod(ALWAYS).i("a", exit(1)).pol(NEVER).c("m").node();

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.startOrder()).containsExactly("a");
  }

  @Test
  @Rule("DEC-35")
  void an_init_containers_own_on_failure_beats_the_pods_never() {
    var node = pod(NEVER).i("a", exit(1), exit(0)).pol(ON_FAILURE).c("m").node();

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("a", "a", "m");
  }

  @Test
  @Rule({"ACC-034", "DEC-36"})
  void a_rule_restarts_init_until_it_succeeds() {
    var node =
        pod(NEVER).i("a", exit(42), exit(42), exit(0)).pol(NEVER).rules(restart(42)).c("m").node();

    node.run(MINUTE);

    assertThat(node.status("a").restartCount()).isEqualTo(2);
    assertThat(node.status("m").state()).isInstanceOf(Running.class);
  }

  @Test
  @Rule({"ACC-035", "DEC-36"})
  void an_unmatched_init_failure_ends_it() {
    var node = pod(NEVER).i("a", exit(42), exit(1)).pol(NEVER).rules(restart(42)).c("m").node();

    node.run(MINUTE);

    assertThat(node.status("a").restartCount()).isEqualTo(1);
    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
  }

  @Test
  @Rule({"ACC-036", "DEC-30"})
  void restart_rules_are_not_asked_when_init_exits_zero() {
    var node = pod(NEVER).i("a", exit(0)).pol(NEVER).rules(restartNotIn(7)).c("m").node();

    node.run(MINUTE);

    assertThat(node.status("a").restartCount()).isZero();
    assertThat(node.status("m").state()).isInstanceOf(Running.class);
  }

  @Test
  @Rule({"ACC-037", "SEQ-02", "SEQ-20", "DEC-40"})
  void sidecars_start_in_their_place_and_do_not_outlive_the_work() {
    var node = pod(NEVER).i("i1").s("s1").i("i2").s("s2").i("i3").c("m", exit(0)).node();

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("i1", "s1", "i2", "s2", "i3", "m");
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(node.records.values()).noneMatch(SimRecord::up);
  }

  @Test
  @Rule({"ACC-038", "SEQ-02", "STS-18"})
  void the_next_entry_waits_for_a_sidecars_startup_probe() {
    var node = pod(NEVER).s("s1").probe(ProbeKind.STARTUP, MINUTE).s("s2").c("m").node();

    node.run(Duration.ofSeconds(10));
    assertThat(node.startOrder()).containsExactly("s1");
    assertThat(node.status("s1").started()).isFalse();

    node.running("s1").orElseThrow().probes.put(ProbeKind.STARTUP, ProbeResult.SUCCESS);
    node.run(Duration.ofSeconds(10));

    assertThat(node.startOrder()).containsExactly("s1", "s2", "m");
    assertThat(node.status("s1").started()).isTrue();
  }

  @Test
  @Rule({"ACC-039", "HOOK-01", "SEQ-02"})
  void the_next_entry_waits_for_a_sidecars_post_start_hook() {
    var node = pod(NEVER).s("s1").postStart(Duration.ofSeconds(10)).c("m").node();

    node.run(MINUTE);

    var m = node.started.get(1);
    assertThat(Duration.between(SimNode.START, m.startedAt)).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  @Rule({"ACC-193", "SEQ-03"})
  void a_regular_container_waits_for_the_post_start_hook_before_it() {
    var node = pod(NEVER).c("a").postStart(Duration.ofSeconds(10)).c("b").c("c").node();

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("a", "b", "c");
    assertThat(Duration.between(SimNode.START, node.started.get(1).startedAt))
        .isEqualTo(Duration.ofSeconds(10));
    assertThat(node.started.get(2).startedAt).isEqualTo(node.started.get(1).startedAt);
  }

  @Test
  @Rule({"ACC-040", "SEQ-04", "SEQ-08"})
  void a_crashing_sidecar_does_not_disturb_the_sequence() {
    var node =
        pod(NEVER)
            .s("s1", exitAfter(1, Duration.ofSeconds(3)))
            .i("i1", exitAfter(0, Duration.ofSeconds(20)))
            .c("m", exitAfter(0, Duration.ofSeconds(20)))
            .node();

    node.run(Duration.ofMinutes(5));

    assertThat(node.startOrder().stream().filter("i1"::equals)).hasSize(1);
    assertThat(node.startOrder().stream().filter("s1"::equals).count()).isGreaterThan(2);
    int m = node.startOrder().indexOf("m");
    assertThat(node.startOrder().subList(0, m)).containsSubsequence("s1", "i1", "s1");
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  @Rule({"ACC-041", "SEQ-05", "DEC-48"})
  void a_sidecar_that_fails_its_startup_probe_is_started_again() {
    var node = pod(NEVER).s("s1").probe(ProbeKind.STARTUP, Duration.ofSeconds(5)).c("m").node();
    node.run(Duration.ofSeconds(1));

    node.running("s1").orElseThrow().probes.put(ProbeKind.STARTUP, ProbeResult.FAILURE);
    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("s1", "s1");
    assertThat(node.status().phase()).isEqualTo(Phase.PENDING);
    assertThat(node.eventTexts("Killing"))
        .containsExactly("Init container s1 failed startup probe");
  }

  @Test
  @Rule({"ACC-042", "SEQ-06", "STS-13"})
  void a_container_that_cannot_start_shows_why_and_holds_what_follows() {
    var node = pod(NEVER).i("a").c("m").node();
    node.startFails =
        start ->
            Optional.of(
                new StartFailure("ErrImagePull", "no such image", node.now.plusSeconds(10)));

    node.run(MINUTE);

    assertThat(node.status("a").state()).isEqualTo(new Waiting("ErrImagePull", "no such image"));
    assertThat(node.status().phase()).isEqualTo(Phase.PENDING);
    assertThat(node.done).filteredOn(Effect.Start.class::isInstance).hasSize(7);
    assertThat(node.done)
        .noneMatch(e -> e instanceof Effect.Start(var name, _, _) && name.equals("m"));
  }

  @Test
  @Rule("SEQ-03")
  void failing_to_start_one_regular_container_does_not_stop_the_others() {
    var node = pod(NEVER).c("bad").c("good").node();
    node.startFails =
        start ->
            start.container().equals("bad")
                ? Optional.of(new StartFailure("RunContainerError", "", node.now.plusSeconds(1)))
                : Optional.empty();

    node.run(Duration.ofSeconds(5));

    assertThat(node.startOrder()).containsExactly("good");
    assertThat(node.status().phase()).isEqualTo(Phase.PENDING);
  }

  @Test
  @Rule({"ACC-049", "SEQ-08", "SEQ-30"})
  void a_regular_restart_never_reruns_init() {
    var node = pod(ALWAYS).i("a").c("m", exit(1), exit(1), exit(1), forever()).node();

    node.run(Duration.ofMinutes(3));

    assertThat(node.startOrder()).containsExactly("a", "m", "m", "m", "m");
    assertThat(node.status("m").restartCount()).isEqualTo(3);
  }

  @Test
  @Rule({"ACC-050", "SEQ-07", "STS-14"})
  void init_containers_cleared_from_the_runtime_count_as_done() {
    var node = pod(ALWAYS).i("a").c("m", exitAfter(1, Duration.ofSeconds(10)), forever()).node();
    node.run(Duration.ofSeconds(5));
    node.records.remove(new ContainerId("a-0"));
    node.published = PodStatus.NONE;
    node.restartNode();

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("a", "m", "m");
    var a = (ContainerState.Terminated) node.status("a").state();
    assertThat(a.reason()).isEqualTo("Completed");
    assertThat(node.status("a").ready()).isTrue();
  }

  @Test
  @Rule({"ACC-052", "STS-40", "RAC-09"})
  void a_started_sidecar_does_not_hold_a_restart_after_the_node_restarts() {
    var node =
        pod(ALWAYS)
            .s("s1")
            .probe(ProbeKind.STARTUP, MINUTE)
            .c("m", exitAfter(1, Duration.ofSeconds(30)), forever())
            .node();
    node.run(Duration.ofSeconds(1));
    node.running("s1").orElseThrow().probes.put(ProbeKind.STARTUP, ProbeResult.SUCCESS);
    node.run(Duration.ofSeconds(5));
    node.restartNode();

    node.run(MINUTE);

    assertThat(node.startOrder()).containsExactly("s1", "m", "m");
    assertThat(node.status("s1").started()).isTrue();
  }

  @Test
  @Rule("DEC-31")
  void a_restart_of_all_containers_also_follows_init_exit_zero() {
    var node =
        pod(NEVER)
            .i("src", exit(0))
            .pol(NEVER)
            .rules(
                dev.regroup.rules.ExitRule.on(
                    dev.regroup.rules.ExitRule.Action.RESTART_ALL_CONTAINERS,
                    dev.regroup.rules.ExitRule.Operator.NOT_IN,
                    java.util.List.of(42)))
            .c("m")
            .node();

    node.run(MINUTE);

    assertThat(node.startOrder()).containsOnly("src").hasSize(4);
    assertThat(node.conditionHistory(PodCondition.Type.INITIALIZED)).containsExactly("False");
  }

  @Test
  @Rule("DEC-46")
  void an_init_container_killed_for_memory_with_code_zero_failed() {
    var node = pod(NEVER).i("a", exit(0).because("OOMKilled")).c("m").node();

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.startOrder()).containsExactly("a");
    assertThat(node.status("a").ready()).isFalse();
  }
}
