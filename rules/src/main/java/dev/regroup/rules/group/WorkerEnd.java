package dev.regroup.rules.group;

import dev.regroup.rules.Exit;
import dev.regroup.rules.ExitDecision;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RuleGate;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What an agent that runs the worker itself makes of the worker's end (JS-132a): the decision of
 * node.md DEC-10 for a container with policy Never, carried out by somebody who is the whole
 * container.
 *
 * <table>
 * <caption>By decision</caption>
 * <tr><td>restart (ACT-01)</td><td>the worker again, in its attempt</td></tr>
 * <tr><td>restart all containers (ACT-02)</td><td>the attempt is over, for the whole group; without
 *     a barrier there is no group, and the container ends</td></tr>
 * <tr><td>stay (ACT-04, or no rule)</td><td>the container ends with the worker's code</td></tr>
 * <tr><td>complete (ACT-05)</td><td>the container ends with 0</td></tr>
 * <tr><td>terminate the pod (ACT-06)</td><td>the container ends with the worker's code, and the pod
 *     with its only container (TPC-22)</td></tr>
 * </table>
 */
public sealed interface WorkerEnd {

  /** Start the worker again: same attempt, no order to the group. */
  record Again() implements WorkerEnd {}

  /** The attempt is over for all. */
  record WithTheGroup() implements WorkerEnd {}

  /** The container ends with this code. */
  record Over(int code) implements WorkerEnd {}

  /** Rules of a worker that names none (JS-132b): everything but 0 and these codes. */
  static List<ExitRule> withoutRules(Set<Integer> fatalCodes) {
    return List.of(
        ExitRule.on(
            ExitRule.Action.TERMINATE, ExitRule.Operator.IN, fatalCodes.stream().sorted().toList()),
        ExitRule.on(ExitRule.Action.RESTART_ALL_CONTAINERS, ExitRule.Operator.NOT_IN, List.of(0)));
  }

  static WorkerEnd of(List<ExitRule> rules, Exit exit, GroupOrders.Knowledge group) {
    return switch (decide(rules, exit)) {
      case ExitDecision.Restart _ -> new Again();
      case ExitDecision.RestartAll _ ->
          group == GroupOrders.Knowledge.BYPASS ? new Over(exit.code()) : new WithTheGroup();
      case ExitDecision.Stay _, ExitDecision.TerminatePod _ -> new Over(exit.code());
      case ExitDecision.Complete _ -> new Over(0);
    };
  }

  /**
   * Whether the container may end with this code because these rules say so, however often the
   * worker was restarted before. Whoever restarts the container must not do it then.
   */
  static boolean mayEndWith(int code, List<ExitRule> rules) {
    var restarts = new TreeSet<>(Set.of(0));
    for (ExitRule rule : rules) {
      if (rule.condition() instanceof ExitRule.Condition.RestartTimes(int atLeast)) {
        restarts.add(Math.max(0, atLeast));
      }
    }
    return restarts.stream()
        .map(times -> decide(rules, new Exit(code, Exit.Cause.ORDINARY, times)))
        .anyMatch(decision ->
            decision instanceof ExitDecision.Stay || decision instanceof ExitDecision.TerminatePod);
  }

  private static ExitDecision decide(List<ExitRule> rules, Exit exit) {
    return ExitDecision.of(
        EnumSet.allOf(RuleGate.class), RestartPolicy.NEVER, RestartPolicy.NEVER, rules, exit);
  }
}
