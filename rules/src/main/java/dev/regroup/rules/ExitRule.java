package dev.regroup.rules;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * One entry of {@code restartPolicyRules}: when the condition holds for an exit, take the action.
 *
 * @param keep sidecars left alone by a restart of all containers (ACT-07)
 * @param grace how long victims of a restart of all containers may take (RAC-14); zero, the
 *     default, is RAC-13: no hooks, no order, the smallest stop timeout
 */
public record ExitRule(Action action, Condition condition, List<String> keep, Duration grace) {

  /** What a matching exit leads to. */
  public enum Action {
    RESTART("Restart"),
    RESTART_ALL_CONTAINERS("RestartAllContainers"),
    TERMINATE("Terminate"),
    COMPLETE("Complete"),
    TERMINATE_POD("TerminatePod");

    private final String wireName;

    Action(String wireName) {
      this.wireName = wireName;
    }

    public String wireName() {
      return wireName;
    }
  }

  /** How exit codes are compared. */
  public enum Operator {
    IN("In"),
    NOT_IN("NotIn"),
    /** Only possible past validation: the rule never matches, the walk goes on (DEC-13). */
    UNKNOWN("");

    private final String wireName;

    Operator(String wireName) {
      this.wireName = wireName;
    }

    public String wireName() {
      return wireName;
    }
  }

  /** When a rule matches. All but {@link ExitCodes} need the extended gate (ACT-10). */
  public sealed interface Condition {

    /** COND-01. Values are not range-checked (API-21) and may repeat: not a set (VAL-08). */
    record ExitCodes(Operator operator, List<Integer> values) implements Condition {
      public ExitCodes {
        Objects.requireNonNull(operator, "operator");
        values = List.copyOf(values);
        if (values.size() > 255) {
          throw new IllegalArgumentException(
              "exitCodes.values: must have at most 255 items, got " + values.size());
        }
      }
    }

    /** COND-02: at the time of exit the container was restarted at least this often. */
    record RestartTimes(int atLeast) implements Condition {}

    /** COND-03: the kernel ended the container because it used too much memory. */
    record OomKill() implements Condition {}

    /** COND-04: every exit. */
    record AnyExit() implements Condition {}
  }

  public ExitRule {
    Objects.requireNonNull(action, "action");
    Objects.requireNonNull(condition, "condition");
    Objects.requireNonNull(grace, "grace");
    keep = List.copyOf(keep);
  }

  /** A released rule: an action for exit codes. */
  public static ExitRule on(Action action, Operator operator, List<Integer> codes) {
    return new ExitRule(action, new Condition.ExitCodes(operator, codes), List.of(), Duration.ZERO);
  }

  /** Whether the condition holds for this exit. */
  public boolean matches(Exit exit) {
    return switch (condition) {
      case Condition.ExitCodes(Operator operator, List<Integer> values) ->
          switch (operator) {
            case IN -> values.contains(exit.code());
            case NOT_IN -> !values.contains(exit.code());
            case UNKNOWN -> false;
          };
      case Condition.RestartTimes(int atLeast) -> exit.restarts() >= atLeast;
      case Condition.OomKill() -> exit.cause() == Exit.Cause.OUT_OF_MEMORY;
      case Condition.AnyExit() -> true;
    };
  }

  /** Whether the condition is known while these gates are on; otherwise it never holds (ACT-10). */
  boolean readable(Set<RuleGate> gates) {
    return switch (condition) {
      case Condition.ExitCodes _ -> true;
      case Condition.RestartTimes _, Condition.OomKill _, Condition.AnyExit _ ->
          gates.contains(RuleGate.EXTENDED_RULES);
    };
  }

  /** Whether the gates that are on allow this rule to have an effect (DEC-10, GATE-13). */
  boolean usable(Set<RuleGate> gates) {
    return switch (action) {
      case RESTART -> true;
      case RESTART_ALL_CONTAINERS -> gates.contains(RuleGate.RESTART_ALL_CONTAINERS);
      case TERMINATE, COMPLETE, TERMINATE_POD -> gates.contains(RuleGate.EXTENDED_RULES);
    };
  }
}
