package dev.regroup.rules;

import java.util.List;
import java.util.Set;

/**
 * What one exit means for its container and pod (node.md DEC-10), before the kind of the container
 * and the state of the pod are looked at. Closed on purpose: a new outcome must touch every switch.
 *
 * <p>Used by the node's planner, by the status guard of the API (IMM-03) and by the group's early
 * detection (JS-160), so that all of them judge an exit alike.
 */
public sealed interface ExitDecision {

  /** Start the container again: because a rule says so, or the policy. */
  record Restart(By by) implements ExitDecision {}

  /** Restart all containers of the pod in place; {@code index} is the rule's place in the list. */
  record RestartAll(ExitRule rule, int index) implements ExitDecision {}

  /** The container stays ended; its code is its result. */
  record Stay(By by) implements ExitDecision {}

  /** The container stays ended and counts as successful whatever its code (ACT-05). */
  record Complete(int index) implements ExitDecision {}

  /** The whole pod ends (ACT-06). */
  record TerminatePod(int index) implements ExitDecision {}

  /** Who decided. */
  enum By {
    POLICY,
    RULE
  }

  /** DEC-10, DEC-11, DEC-12, DEC-13, GATE-13. */
  static ExitDecision of(
      Set<RuleGate> gates,
      RestartPolicy podPolicy,
      RestartPolicy ownPolicy,
      List<ExitRule> rules,
      Exit exit) {
    if (!gates.contains(RuleGate.CONTAINER_RESTART_RULES)) {
      return byPolicy(podPolicy, exit);
    }
    if (ownPolicy == RestartPolicy.INHERIT) {
      return byPolicy(podPolicy, exit); // rules without an own policy are ignored (DEC-11)
    }
    for (int index = 0; index < rules.size(); index++) {
      var rule = rules.get(index);
      if (!rule.readable(gates) || !rule.matches(exit)) {
        continue;
      }
      // The first match ends the walk even when its action cannot be used (GATE-13).
      return rule.usable(gates) ? byRule(rule, index) : byPolicy(ownPolicy, exit);
    }
    return byPolicy(ownPolicy, exit);
  }

  private static ExitDecision byRule(ExitRule rule, int index) {
    return switch (rule.action()) {
      case RESTART -> new Restart(By.RULE);
      case RESTART_ALL_CONTAINERS -> new RestartAll(rule, index);
      case TERMINATE -> new Stay(By.RULE);
      case COMPLETE -> new Complete(index);
      case TERMINATE_POD -> new TerminatePod(index);
    };
  }

  private static ExitDecision byPolicy(RestartPolicy policy, Exit exit) {
    return policy.restartsAfter(exit.code()) ? new Restart(By.POLICY) : new Stay(By.POLICY);
  }
}
