package dev.regroup.rules.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.Worlds;
import dev.regroup.rules.jobset.JobSetSpec.FailureAction;
import org.junit.jupiter.api.Test;

/**
 * The failure policy comes before the budget, in whatever order pods and Jobs arrive. A failure
 * prints the seed; {@code -Dworld=<seed>} lives through that one again.
 */
class PolicyFirstSimTest {

  private static final int FATAL = 3;

  private static PolicyWorld fatal(long seed, FailureAction action, PolicyWorld.Asks asks) {
    return new PolicyWorld(seed, seed % 2 == 0 ? 0 : 4, action, asks).exits(FATAL);
  }

  private static String reason(PolicyWorld world) {
    return world
        .status
        .condition(JobSetStatus.Type.FAILED)
        .map(JobSetStatus.Condition::reason)
        .orElse("");
  }

  @Test
  @Rule({"JS-160b", "JS-148", "AS-56"})
  void a_fatal_code_fails_the_jobset_by_its_rule_and_tells_nobody_to_restart() {
    long questions =
        Worlds.asked()
            .live(
                seed -> {
                  var world = fatal(seed, FailureAction.FAIL_JOB_SET, PolicyWorld.Asks.YES);
                  assertThat(reason(world))
                      .as("world %d: %s", seed, world.log)
                      .isEqualTo("FailJobSetFailurePolicyAction");
                  assertThat(world.status.group().barrier().previous())
                      .as("world %d: %s", seed, world.log)
                      .isEmpty();
                  assertThat(world.questions).as("one per failure").isLessThan(2);
                  return (long) world.questions;
                },
                0L,
                Long::sum);
    assertThat(questions).as("questions asked at all").isPositive();
  }

  @Test
  @Rule({"JS-160b", "JS-89a", "AS-58"})
  void a_fatal_code_restarts_the_jobset_without_any_budget_left() {
    Worlds.asked()
        .live(
            seed -> {
              var action = FailureAction.RESTART_JOB_SET_AND_IGNORE_MAX_RESTARTS;
              var world = fatal(seed, action, PolicyWorld.Asks.YES);
              assertThat(world.status.restarts()).as("world %d: %s", seed, world.log).isEqualTo(1);
              assertThat(world.status.group().counted()).hasValue(0);
              assertThat(reason(world)).isEmpty();
              return 1;
            },
            0,
            Integer::sum);
  }

  @Test
  @Rule({"JS-160", "JS-160a"})
  void any_other_code_is_the_groups_own_affair() {
    Worlds.asked()
        .live(
            seed -> {
              boolean left = seed % 2 != 0;
              var world =
                  new PolicyWorld(
                          seed, left ? 4 : 0, FailureAction.FAIL_JOB_SET, PolicyWorld.Asks.YES)
                      .exits(1);
              assertThat(reason(world))
                  .as("world %d: %s", seed, world.log)
                  .isEqualTo(left ? "" : "ReachedMaxRestarts");
              assertThat(world.status.group().barrier().restarting()).isEqualTo(left);
              return 1;
            },
            0,
            Integer::sum);
  }

  @Test
  void a_controller_that_does_not_ask_is_found_out() {
    int wrong =
        Worlds.asked()
            .live(
                seed -> {
                  var world = fatal(seed, FailureAction.FAIL_JOB_SET, PolicyWorld.Asks.NEVER);
                  return reason(world).equals("FailJobSetFailurePolicyAction") ? 0 : 1;
                },
                0,
                Integer::sum);

    assertThat(wrong).isPositive();
  }
}
