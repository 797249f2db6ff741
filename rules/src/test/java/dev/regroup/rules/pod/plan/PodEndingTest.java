package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.ExitRule.Action.COMPLETE;
import static dev.regroup.rules.ExitRule.Action.TERMINATE;
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
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Observed.Deletion;
import dev.regroup.rules.pod.Observed.ForcedEnd;
import dev.regroup.rules.pod.Observed.Sandbox;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PodEndingTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static Duration seconds(int n) {
    return Duration.ofSeconds(n);
  }

  private static Duration took(SimNode node, String container, int from) {
    var record =
        node.started.stream().filter(r -> r.container.equals(container)).toList().getLast();
    return Duration.between(SimNode.START.plusSeconds(from), record.finishedAt);
  }

  private static SimNode deleteAfter(SimNode node, int seconds, Duration grace) {
    node.run(seconds(seconds));
    node.deletion = new Deletion.Asked(node.now, grace);
    node.run(Duration.ofMinutes(3));
    return node;
  }

  @Test
  @Rule({"ACC-043", "TERM-05", "TERM-06", "TERM-08"})
  void sidecars_end_after_the_work_in_reverse_order() {
    var slow = forever().onSignal(seconds(5), 0);
    var node =
        pod(NEVER)
            .s("s1", slow)
            .s("s2", slow)
            .s("s3", slow)
            .c("m", exitAfter(0, seconds(5)))
            .node();

    node.run(MINUTE);

    assertThat(took(node, "s3", 5)).isEqualTo(seconds(5));
    assertThat(took(node, "s2", 5)).isEqualTo(seconds(10));
    assertThat(took(node, "s1", 5)).isEqualTo(seconds(15));
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(node.sandbox).isEqualTo(Sandbox.NONE);
    assertThat(node.plans.getLast().standing()).isEqualTo(PodPlan.Standing.ENDED);
    assertThat(node.phases()).containsExactly("Pending", "Running", "Succeeded");
  }

  @Test
  @Rule({"ACC-044", "TERM-05", "HOOK-02"})
  void all_hooks_start_together() {
    var slow = forever().onSignal(seconds(5), 0);
    var node =
        pod(NEVER)
            .s("s1", slow)
            .preStop(seconds(1))
            .s("s2", slow)
            .preStop(seconds(1))
            .c("m", exitAfter(0, seconds(5)))
            .node();

    node.run(MINUTE);

    var begun = node.started.stream().filter(r -> !r.container.equals("m")).toList();
    assertThat(begun).allMatch(r -> r.stop.since().equals(SimNode.START.plusSeconds(5)));
    assertThat(took(node, "s2", 5)).isEqualTo(seconds(6));
    assertThat(took(node, "s1", 5)).isEqualTo(seconds(11));
  }

  @Test
  @Rule({"ACC-045", "TERM-04", "TERM-05"})
  void a_hook_that_never_ends_is_abandoned_when_the_grace_is_over() {
    var node =
        pod(NEVER)
            .s("s1", forever().deaf())
            .preStop(Script.FOREVER)
            .s("s2", forever().deaf())
            .preStop(Script.FOREVER)
            .c("m", exitAfter(0, seconds(5)))
            .node();

    node.run(MINUTE);

    assertThat(took(node, "s1", 5)).isEqualTo(seconds(32));
    assertThat(took(node, "s2", 5)).isEqualTo(seconds(32));
    assertThat(((Terminated) node.status("s1").state()).exitCode()).isEqualTo(137);
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  @Rule({"ACC-047", "TERM-02", "TERM-03", "TERM-09"})
  void deletion_grace_beats_the_pods_and_kills_what_is_deaf() {
    var node =
        deleteAfter(
            pod(NEVER)
                .s("quick", forever().onSignal(seconds(1), 0))
                .s("slow", forever().onSignal(seconds(20), 0))
                .c("m", forever().deaf())
                .node(),
            10,
            seconds(5));

    assertThat(took(node, "m", 10)).isEqualTo(seconds(5));
    assertThat(((Terminated) node.status("m").state()).exitCode()).isEqualTo(137);
    assertThat(((Terminated) node.status("m").state()).reason()).isEqualTo("Error");
    assertThat(((Terminated) node.status("quick").state()).reason()).isEqualTo("Completed");
    assertThat(((Terminated) node.status("slow").state()).exitCode()).isEqualTo(137);
    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.plans.getLast().standing()).isEqualTo(PodPlan.Standing.REMOVABLE);
  }

  @Test
  @Rule("TERM-02")
  void a_grace_of_zero_is_one_and_a_grace_may_be_shortened_later() {
    var node = deleteAfter(pod(NEVER).c("m", forever().deaf()).node(), 10, Duration.ZERO);
    assertThat(took(node, "m", 10)).isEqualTo(DueStops.MINIMUM);

    var patient = pod(NEVER).c("m", forever().deaf()).node();
    patient.run(seconds(10));
    patient.deletion = new Deletion.Asked(patient.now, seconds(60));
    patient.run(seconds(10));
    patient.deletion = new Deletion.Asked(SimNode.START.plusSeconds(10), seconds(15));
    patient.run(MINUTE);
    assertThat(took(patient, "m", 10)).isEqualTo(seconds(15));
  }

  @Test
  @Rule({"TERM-04", "HOOK-02", "ACC-189"})
  void time_spent_in_the_hook_counts() {
    var node =
        deleteAfter(
            pod(NEVER).c("m", forever().deaf()).preStop(seconds(7)).node(), 10, seconds(10));

    assertThat(took(node, "m", 10)).isEqualTo(seconds(10));
    assertThat(node.eventTexts("Killing")).containsExactly("Stopping container m");
  }

  @Test
  @Rule({"ACC-048", "DEC-03"})
  void nothing_starts_in_a_deleted_pod() {
    var node =
        deleteAfter(
            pod(NEVER).s("s1").i("i2", exitAfter(0, MINUTE)).c("m").node(), 10, seconds(30));

    assertThat(node.startOrder()).containsExactly("s1", "i2");
    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
  }

  @Test
  @Rule({"ACC-088", "DEC-03", "RAC-05"})
  void an_exit_during_deletion_triggers_nothing() {
    var node =
        deleteAfter(
            pod(NEVER)
                .c("src", forever().onSignal(Duration.ZERO, 42))
                .pol(NEVER)
                .rules(all(42))
                .node(),
            10,
            seconds(30));

    assertThat(node.startOrder()).containsExactly("src");
    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
  }

  @Test
  @Rule("TERM-11")
  void a_deletion_that_cannot_stop_a_container_uses_force() {
    var node = pod(NEVER).c("m", forever().deaf()).node();
    node.run(seconds(10));
    node.chaos =
        (effect, before) -> {
          if (effect instanceof Effect.Signal && before) {
            throw new SimNode.Fault(false);
          }
        };
    node.deletion = new Deletion.Asked(node.now, seconds(5));

    node.run(MINUTE);

    assertThat(node.done).hasAtLeastOneElementOfType(Effect.KillSandbox.class);
    assertThat(took(node, "m", 10)).isBetween(seconds(15), seconds(16));
    assertThat(node.plans.getLast().standing()).isEqualTo(PodPlan.Standing.REMOVABLE);
  }

  @Test
  @Rule({"TERM-01", "STS-06"})
  void the_deadline_ends_the_pod() {
    var node = pod(ALWAYS).c("m", forever().onSignal(Duration.ZERO, 0)).node();
    node.spec = node.spec.withDeadline(seconds(20));

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.status().reason()).isEqualTo("DeadlineExceeded");
    assertThat(node.status().message())
        .isEqualTo("Pod was active on the node longer than the specified deadline");
    assertThat(took(node, "m", 0)).isEqualTo(seconds(20));
    assertThat(node.eventTexts("DeadlineExceeded")).hasSize(1);
  }

  @Test
  @Rule({"TERM-01", "RAC-67", "STS-14"})
  void what_never_ran_stays_initializing_when_the_deadline_falls_into_init() {
    var polite = forever().onSignal(Duration.ZERO, 0);
    assertInitializing(atDeadline(pod(ALWAYS).i("i", polite).c("m").node()), "m");
    assertInitializing(atDeadline(pod(NEVER).i("i", polite).c("m").node()), "m");
    assertInitializing(
        atDeadline(pod(NEVER).i("i", forever().onSignal(Duration.ZERO, 1)).c("m").node()), "m");
    assertInitializing(atDeadline(pod(NEVER).i("i", forever().deaf()).c("m").node()), "m");
    assertInitializing(
        atDeadline(pod(NEVER).i("i", polite).i("after", exit(0)).c("m").node()), "after", "m");
    assertInitializing(
        atDeadline(pod(NEVER).s("s", polite).i("i", polite).c("m").c("n").node()), "m", "n");
  }

  @Test
  @Rule({"TERM-01", "RAC-67"})
  void what_never_ran_stays_initializing_when_the_deadline_comes_before_init() {
    var node = pod(NEVER).i("i", exit(0)).c("m").node();
    node.chaos =
        (effect, before) -> {
          if (effect instanceof Effect.Start && before) {
            throw new SimNode.Fault(false);
          }
        };

    atDeadline(node);

    assertThat(node.startOrder()).isEmpty();
    assertInitializing(node, "m");
  }

  @Test
  @Rule({"TERM-01", "RAC-67"})
  void what_never_ran_is_lost_when_init_was_over_before_the_deadline() {
    var node = pod(NEVER).i("i", exit(0)).c("m").node();
    node.chaos =
        (effect, before) -> {
          if (effect instanceof Effect.Start start && start.container().equals("m") && before) {
            throw new SimNode.Fault(false);
          }
        };

    atDeadline(node);

    assertThat(node.status("m").state())
        .isInstanceOfSatisfying(
            Terminated.class,
            ended -> assertThat(ended.reason()).isEqualTo("ContainerStatusUnknown"));
  }

  private static SimNode atDeadline(SimNode node) {
    node.spec = node.spec.withDeadline(seconds(20));
    node.run(Duration.ofMinutes(2));
    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.status().reason()).isEqualTo("DeadlineExceeded");
    return node;
  }

  /** Now, and when the node is asked again after everything of the pod was cleared away. */
  private static void assertInitializing(SimNode node, String... containers) {
    for (int look = 0; look < 2; look++) {
      for (String container : containers) {
        assertThat(node.status(container).state())
            .as(container)
            .isEqualTo(new Waiting("PodInitializing", ""));
      }
      node.records.clear();
      node.run(MINUTE);
    }
  }

  @Test
  @Rule({"TERM-01", "TERM-02", "STS-06"})
  void an_eviction_fails_the_pod_with_its_own_grace() {
    var node = pod(ALWAYS).c("m", forever().deaf()).node();
    node.run(seconds(10));
    node.forcedEnd = new ForcedEnd.Forced("Evicted", "no memory", seconds(3));

    node.run(MINUTE);

    assertThat(took(node, "m", 10)).isEqualTo(seconds(3));
    assertThat(node.status().reason()).isEqualTo("Evicted");
    assertThat(node.status().message()).isEqualTo("no memory");
    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
  }

  @Test
  @Rule({"ACC-135", "TPC-15", "DEC-57", "ACT-06"})
  void a_terminate_pod_rule_ends_the_pod_also_on_zero() {
    var node = pod(ALWAYS).c("k", exit(0)).pol(ALWAYS).rules(on(TERMINATE_POD, 0)).c("w").node();

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(node.records.values()).noneMatch(SimRecord::up);
  }

  @Test
  @Rule({"ACC-137", "ACT-04", "DEC-55"})
  void a_sidecar_ended_by_a_terminate_rule_fails_the_pod() {
    var node =
        pod(ON_FAILURE)
            .s("agent", exitAfter(7, seconds(5)))
            .rules(all(88), on(TERMINATE, 7))
            .c("w")
            .node();

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.status().reason()).isEqualTo("TerminatedByRule");
    assertThat(node.status().message()).contains("agent").contains("7");
  }

  @Test
  @Rule({"DEC-51", "DEC-52", "ACT-05", "STS-08"})
  void terminate_counts_by_its_code_and_complete_as_success() {
    var terminated = pod(ALWAYS).c("m", exit(3)).pol(ALWAYS).rules(on(TERMINATE, 3)).node();
    var completed = pod(ALWAYS).c("m", exit(3)).pol(ALWAYS).rules(on(COMPLETE, 3)).node();
    terminated.run(MINUTE);
    completed.run(MINUTE);

    assertThat(terminated.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(completed.status().phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  @Rule({"DEC-53", "DEC-54", "DEC-56"})
  void terminate_and_complete_on_init_entries() {
    var failed = pod(ALWAYS).i("a", exit(3)).pol(ON_FAILURE).rules(on(TERMINATE, 3)).c("m").node();
    var done =
        pod(NEVER)
            .i("a", exit(3))
            .pol(NEVER)
            .rules(on(COMPLETE, 3))
            .s("s", exit(4))
            .rules(on(COMPLETE, 4))
            .c("m")
            .node();
    failed.run(MINUTE);
    done.run(MINUTE);

    assertThat(failed.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(done.startOrder()).containsExactly("a", "s", "m");
    assertThat(done.status("a").ready()).isTrue();
  }

  @Test
  @Rule({"DEC-47", "ACC-089"})
  void a_final_init_failure_beats_a_trigger() {
    var node =
        pod(NEVER)
            .s("src", exitAfter(42, seconds(5)))
            .rules(all(42))
            .i("i", exitAfter(1, seconds(5)))
            .c("m")
            .node();

    node.run(MINUTE);

    assertThat(node.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(node.startOrder()).containsExactly("src", "i");
  }

  @Test
  @Rule({"ACC-058", "SEQ-20", "STS-33"})
  void a_pod_that_is_done_gets_no_second_sandbox() {
    var node = pod(ON_FAILURE).c("a", exit(0)).c("b", exitAfter(0, seconds(9))).node();

    node.run(MINUTE);

    assertThat(node.sandboxes).isEqualTo(1);
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(node.status().isTrue(PodCondition.Type.POD_READY_TO_START_CONTAINERS)).isFalse();
  }
}
