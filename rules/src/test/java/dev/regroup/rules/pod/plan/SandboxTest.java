package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.RestartPolicy.ALWAYS;
import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.RestartPolicy.ON_FAILURE;
import static dev.regroup.rules.pod.plan.Pods.allNotIn;
import static dev.regroup.rules.pod.plan.Pods.pod;
import static dev.regroup.rules.pod.plan.Script.Run.exitAfter;
import static dev.regroup.rules.pod.plan.Script.Run.forever;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerState.Running;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodRestartRequest;
import dev.regroup.rules.pod.StopReason;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** What a lost sandbox leaves behind, and requests for a single container. */
class SandboxTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static SimNode threeKinds() {
    return pod(ALWAYS).i("i").s("s").c("m").node();
  }

  @Test
  @Rule({"SEQ-25", "ACC-051"})
  void a_new_sandbox_starts_from_the_first_init_entry_with_everything_counted() {
    var node = threeKinds();
    node.run(MINUTE);
    node.reboot();
    node.done.clear();

    node.run(MINUTE);

    assertThat(node.done)
        .filteredOn(e -> e instanceof Effect.Remove || e instanceof Effect.StopSandbox)
        .containsExactly(
            new Effect.Remove(List.of(new ContainerId("i-0"), new ContainerId("s-0"))),
            new Effect.StopSandbox("sandbox-1"));
    assertThat(node.eventTexts("SandboxChanged")).hasSize(1);
    assertThat(node.startOrder()).containsExactly("i", "s", "m", "i", "s", "m");
    for (var name : List.of("i", "s", "m")) {
      assertThat(node.status(name).restartCount()).as(name).isEqualTo(1);
    }
  }

  @Test
  @Rule("SEQ-25")
  void what_still_runs_without_its_sandbox_is_stopped_first() {
    var node = pod(ALWAYS).s("s").c("m", forever().deaf()).node();
    node.run(MINUTE);
    node.loseSandbox();
    var lost = node.now;

    node.run(MINUTE);

    var old = node.started.get(1);
    assertThat(old.stopReason).isEqualTo(StopReason.SANDBOX_LOST);
    assertThat(old.finishedAt).isEqualTo(lost.plusSeconds(2));
    assertThat(node.sandboxes).isEqualTo(2);
    assertThat(node.status("m").state()).isInstanceOf(Running.class);
  }

  /** It saves its work and ends with 0 when it is told to stop, as training programs do. */
  private static Script.Run obedient() {
    return forever().onSignal(Duration.ZERO, 0);
  }

  @Test
  @Rule("SEQ-25")
  void who_is_stopped_because_the_sandbox_is_lost_has_not_succeeded() {
    var node = pod(ON_FAILURE).c("m", obedient()).node();
    node.run(MINUTE);
    node.loseSandbox();

    node.run(MINUTE);

    assertThat(node.sandboxes).isEqualTo(2);
    assertThat(node.status().phase()).isEqualTo(Phase.RUNNING);
    assertThat(node.status("m").restartCount()).isEqualTo(1);
  }

  @Test
  @Rule("SEQ-25")
  void a_worker_whose_sandbox_is_lost_restarts_all_whatever_it_ends_with() {
    var node = pod(ON_FAILURE).c("w", obedient()).pol(NEVER).rules(allNotIn(0)).nodeAgent().node();
    var none = OptionalInt.empty();
    node.group = GroupOrders.of(none, none);
    node.run(MINUTE);
    node.group = GroupOrders.of(OptionalInt.of(0), none);
    node.run(MINUTE);
    assertThat(node.status("w").state()).isInstanceOf(Running.class);
    node.loseSandbox();

    node.run(MINUTE);

    assertThat(node.status().phase()).as("it is no success").isEqualTo(Phase.PENDING);
    assertThat(node.status().attempt()).as("it waits for its group").hasValue(1);
    node.group = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    node.run(MINUTE);
    assertThat(node.status("w").state()).isInstanceOf(Running.class);
    assertThat(node.sandboxes).isEqualTo(2);
  }

  @Test
  @Rule("SEQ-25")
  void nothing_starts_again_without_its_sandbox_under_policy_never() {
    var node = pod(NEVER).c("m", obedient()).node();
    node.run(MINUTE);
    node.loseSandbox();

    node.run(MINUTE);

    assertThat(node.sandboxes).isEqualTo(1);
    assertThat(node.status().phase()).isEqualTo(Phase.SUCCEEDED);
  }

  @Test
  @Rule("SEQ-01")
  void the_first_sandbox_is_made_without_removing_or_remembering_anything() {
    var node = pod(ALWAYS).i("i", exitAfter(0, Duration.ofSeconds(9))).c("m").node();

    node.settle();

    assertThat(node.done.getFirst()).isEqualTo(new Effect.CreateSandbox());
    assertThat(node.events).noneMatch(e -> e.reason().equals("SandboxChanged"));
    assertThat(node.status().isTrue(PodCondition.Type.POD_READY_TO_START_CONTAINERS)).isTrue();
    node.reboot();
    node.look();
    assertThat(node.status().isTrue(PodCondition.Type.POD_READY_TO_START_CONTAINERS)).isFalse();
    assertThat(node.status().isTrue(PodCondition.Type.POD_SCHEDULED)).isTrue();
  }

  @Test
  @Rule("RAC-08")
  void a_request_for_one_container_restarts_that_one_once() {
    for (var name : List.of("m", "s")) {
      var node = threeKinds();
      node.run(MINUTE);
      node.request = new PodRestartRequest.Asked("r1", "why", Duration.ZERO, name);
      node.run(MINUTE);
      node.restartNode();
      node.run(MINUTE);

      assertThat(node.startOrder()).containsExactly("i", "s", "m", name);
      assertThat(node.status(name).restartCount()).isEqualTo(1);
    }
  }

  @Test
  @Rule("RAC-08")
  void a_request_for_a_container_that_cannot_restart_is_ignored_with_a_reason() {
    for (var name : List.of("i", "nobody")) {
      var node = threeKinds();
      node.run(MINUTE);
      node.request = new PodRestartRequest.Asked("r1", "why", Duration.ZERO, name);

      node.run(MINUTE);

      assertThat(node.startOrder()).containsExactly("i", "s", "m");
      assertThat(node.eventTexts("RestartRequestIgnored"))
          .containsExactly("request r1: no regular container or sidecar is named \"" + name + "\"");
    }
  }
}
