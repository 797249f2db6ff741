package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.RestartPolicy.ALWAYS;
import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.pod.plan.Pods.all;
import static dev.regroup.rules.pod.plan.Pods.pod;
import static dev.regroup.rules.pod.plan.Pods.restart;
import static dev.regroup.rules.pod.plan.Script.Run.exit;
import static dev.regroup.rules.pod.plan.Script.Run.forever;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer.ProbeResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Every start but the first of a container has a cause (OBS-06). */
class StartCauseTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final OptionalInt NONE = OptionalInt.empty();

  private final List<StartCause> causes = new ArrayList<>();

  private SimNode.PlanFunction noted(SimNode.PlanFunction planner) {
    return (spec, seen, settings, now) -> {
      var plan = planner.plan(spec, seen, settings, now);
      var cycle = seen.cycle();
      for (var effect : plan.effects()) {
        if (effect instanceof Effect.Remember(var next)) {
          cycle = next;
        } else if (effect instanceof Effect.Start(var container, int run, _) && run > 0) {
          causes.add(StartCause.of(spec, seen, settings, cycle, container));
        }
      }
      return plan;
    };
  }

  private SimNode run(SimNode node) {
    node.planner = noted(node.planner);
    node.run(MINUTE);
    return node;
  }

  @Test
  @Rule("OBS-06")
  void an_exit_is_followed_by_policy_or_by_rule() {
    run(pod(ALWAYS).c("m", exit(1), forever()).node());
    run(pod(NEVER).c("m", exit(7), forever()).pol(NEVER).rules(restart(7)).node());
    run(pod(NEVER).s("s", exit(0), forever()).c("m").node());

    assertThat(causes).containsExactly(StartCause.POLICY, StartCause.RULE, StartCause.POLICY);
  }

  @Test
  @Rule("OBS-06")
  void a_restart_of_all_containers_gives_its_cause_to_each() {
    run(pod(NEVER).i("i").c("m", exit(42), forever()).pol(NEVER).rules(all(42)).c("n").node());

    assertThat(causes).hasSize(3).containsOnly(StartCause.RESTART_ALL);
  }

  @Test
  @Rule("OBS-06")
  void an_order_of_the_group_is_a_cause() {
    var node = pod(NEVER).c("w").pol(NEVER).rules(all(1)).nodeAgent().node();
    node.group = GroupOrders.of(NONE, NONE);
    run(node);
    node.group = GroupOrders.of(OptionalInt.of(0), NONE);
    node.run(MINUTE);

    node.group = GroupOrders.of(OptionalInt.of(0), OptionalInt.of(0));
    node.run(MINUTE);
    node.group = GroupOrders.of(OptionalInt.of(1), OptionalInt.of(0));
    node.run(MINUTE);

    assertThat(causes).containsExactly(StartCause.GROUP);
  }

  @Test
  @Rule("OBS-06")
  void probe_image_and_sandbox_are_causes() {
    var node = run(pod(ALWAYS).c("m").probe(ProbeKind.LIVENESS, MINUTE).node());

    node.running("m").orElseThrow().probes.put(ProbeKind.LIVENESS, ProbeResult.FAILURE);
    node.run(MINUTE);
    var changed = node.spec.containers().stream().map(c -> c.withImage("v2", "v2")).toList();
    node.spec = PodSpec.of(node.spec.id(), ALWAYS, changed);
    node.run(MINUTE);
    node.loseSandbox();
    node.run(MINUTE);
    node.reboot();
    node.run(Duration.ofMinutes(5));

    assertThat(causes)
        .containsExactly(
            StartCause.PROBE, StartCause.IMAGE_CHANGE, StartCause.SANDBOX, StartCause.SANDBOX);
  }

  @Test
  @Rule({"OBS-06", "OBS-14"})
  void no_start_is_unexpected_in_any_world() {
    for (long seed = 0; seed < 200; seed++) {
      WorldMaker.live(seed, this::noted);

      assertThat(causes.contains(StartCause.UNEXPECTED)).as("world %d", seed).isFalse();
    }
    assertThat(causes)
        .contains(StartCause.POLICY, StartCause.RULE, StartCause.RESTART_ALL, StartCause.SANDBOX);
  }
}
