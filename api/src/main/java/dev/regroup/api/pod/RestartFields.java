package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {@code restartPolicy} and {@code restartPolicyRules} of a pod and its containers: the one reading
 * of them, so that admission, node and group judge an exit alike. Admission has brought the fields
 * Regroup adds (ACT-07, COND-02 to COND-04, RAC-14) into the one form read here. Never throws: what
 * cannot be read has no effect. Gates are the decision's affair, not the reading's.
 */
public final class RestartFields {

  /** Admission lets no more through; an object that has them is read all the same (VAL-08). */
  private static final int MOST_CODES = 255;

  private RestartFields() {}

  /** The policy of a pod; {@code Always} when it names none. */
  public static RestartPolicy podPolicy(JsonNode podSpec) {
    return policy(podSpec).or(RestartPolicy.ALWAYS);
  }

  /** The policy a container has of its own. */
  public static RestartPolicy ownPolicy(JsonNode container) {
    return policy(container);
  }

  /** An init container that runs beside the others. */
  public static boolean isSidecar(JsonNode initContainer) {
    return policy(initContainer) == RestartPolicy.ALWAYS;
  }

  /** The rules of a container, in order. */
  public static List<ExitRule> rules(JsonNode container) {
    return list(container.path("restartPolicyRules"));
  }

  /** A list of rules, wherever it stands. */
  public static List<ExitRule> list(JsonNode rules) {
    var read = new ArrayList<ExitRule>();
    for (ObjectNode rule : Trees.objects(rules)) {
      action(rule)
          .ifPresent(action ->
              read.add(
                  new ExitRule(
                      action,
                      condition(rule),
                      Trees.texts(rule, "keep"),
                      Duration.ofSeconds(
                          Trees.number(rule, "terminationGracePeriodSeconds").orElse(0)))));
    }
    return read;
  }

  private static RestartPolicy policy(JsonNode owner) {
    String name = Trees.text(owner, "restartPolicy");
    for (RestartPolicy policy : RestartPolicy.values()) {
      if (policy.wireName().equals(name)) {
        return policy;
      }
    }
    return RestartPolicy.INHERIT;
  }

  /** Empty only past validation; such a rule has no effect. */
  private static Optional<ExitRule.Action> action(JsonNode rule) {
    String name = Trees.text(rule, "action");
    for (ExitRule.Action action : ExitRule.Action.values()) {
      if (action.wireName().equals(name)) {
        return Optional.of(action);
      }
    }
    return Optional.empty();
  }

  private static ExitRule.Condition condition(JsonNode rule) {
    if (!Trees.has(rule, "exitCodes")) {
      var times = Trees.integer(rule, "restartTimes");
      if (times.isPresent()) {
        return new ExitRule.Condition.RestartTimes(times.getAsInt());
      }
      if (Trees.has(rule, "oomKill")) {
        return new ExitRule.Condition.OomKill();
      }
      if (Trees.has(rule, "exit")) {
        return new ExitRule.Condition.AnyExit();
      }
    }
    return new ExitRule.Condition.ExitCodes(
        operator(Trees.text(rule, "exitCodes", "operator")),
        Trees.integers(rule, "exitCodes", "values").stream().limit(MOST_CODES).toList());
  }

  private static ExitRule.Operator operator(String name) {
    for (ExitRule.Operator operator : ExitRule.Operator.values()) {
      if (operator.wireName().equals(name)) {
        return operator;
      }
    }
    return ExitRule.Operator.UNKNOWN; // DEC-13
  }
}
