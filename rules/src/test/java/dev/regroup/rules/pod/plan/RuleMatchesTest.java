package dev.regroup.rules.pod.plan;

import static dev.regroup.rules.RestartPolicy.ALWAYS;
import static dev.regroup.rules.RestartPolicy.NEVER;
import static dev.regroup.rules.pod.plan.Pods.all;
import static dev.regroup.rules.pod.plan.Pods.pod;
import static dev.regroup.rules.pod.plan.Pods.restart;
import static dev.regroup.rules.pod.plan.Script.Run.exit;
import static dev.regroup.rules.pod.plan.Script.Run.forever;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.ExitRule.Action;
import dev.regroup.rules.Rule;
import dev.regroup.rules.pod.ContainerId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Exits that a rule decided are told from those that the policy did (OBS-04). */
class RuleMatchesTest {

  private final Map<ContainerId, Action> matches = new LinkedHashMap<>();

  private void run(SimNode node) {
    var planner = node.planner;
    node.planner =
        (spec, seen, settings, now) -> {
          matches.putAll(RuleMatches.of(spec, seen, settings));
          return planner.plan(spec, seen, settings, now);
        };
    node.run(Duration.ofMinutes(1));
  }

  @Test
  @Rule("OBS-04")
  void an_exit_that_a_rule_matches_has_its_action() {
    run(pod(NEVER).c("m", exit(7), forever()).pol(NEVER).rules(restart(7)).node());

    assertThat(matches.values()).containsExactly(Action.RESTART);
  }

  @Test
  @Rule("OBS-04")
  void of_a_restart_of_all_containers_only_the_exit_that_caused_it_matches() {
    run(pod(NEVER).i("i").c("m", exit(42), forever()).pol(NEVER).rules(all(42)).c("n").node());

    assertThat(matches.values()).containsExactly(Action.RESTART_ALL_CONTAINERS);
  }

  @Test
  @Rule("OBS-04")
  void an_exit_that_the_policy_decides_matches_nothing() {
    run(pod(ALWAYS).c("m", exit(1), forever()).node());
    run(pod(NEVER).c("m", exit(8)).pol(NEVER).rules(restart(7)).node());

    assertThat(matches).isEmpty();
  }
}
