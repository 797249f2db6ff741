package dev.regroup.rules;

/**
 * The feature gates a decision depends on. They are asked once, where parts are wired, and come in
 * as a set (node.md section 1.5).
 */
public enum RuleGate {
  /** GATE-01: container policies and {@code Restart} rules. */
  CONTAINER_RESTART_RULES,
  /** GATE-02: the action {@code RestartAllContainers}. */
  RESTART_ALL_CONTAINERS,
  /** GATE-05: {@code lifecycle.onCompletion}. */
  TERMINATE_POD_ON_COMPLETION,
  /** ACT-10: further actions and conditions, {@code keep} and the grace of a rule. */
  EXTENDED_RULES
}
