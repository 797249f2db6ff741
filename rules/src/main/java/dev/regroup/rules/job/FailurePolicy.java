package dev.regroup.rules.job;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code podFailurePolicy}: what the failure of a pod means for its Job (JB-70 to JB-72). */
public record FailurePolicy(List<Rule> rules) {

  public enum Action {
    FAIL_JOB,
    FAIL_INDEX,
    IGNORE,
    COUNT,
    /** An action of a later version: the rule is skipped (JB-72). */
    UNKNOWN
  }

  public enum Operator {
    IN,
    NOT_IN
  }

  /**
   * One rule: either exit codes or conditions.
   *
   * @param container null for every container
   */
  public record Rule(
      Action action,
      @Nullable String container,
      @Nullable Operator operator,
      List<Integer> codes,
      List<JobPod.Condition> conditions) {

    public Rule {
      codes = List.copyOf(codes);
      conditions = List.copyOf(conditions);
    }
  }

  /** The rule that decided and the sentence for a failed Job; JobSet patterns depend on it. */
  public record Verdict(Action action, String message) {}

  public FailurePolicy {
    rules = List.copyOf(rules);
  }

  /** Judges a failed pod; empty when no rule matches, which counts as a failure. */
  public Optional<Verdict> judge(String namespace, JobPod pod) {
    for (int i = 0; i < rules.size(); i++) {
      var rule = rules.get(i);
      if (rule.action() == Action.UNKNOWN) {
        continue;
      }
      var match = match(rule, namespace, pod, i);
      if (match.isPresent()) {
        return Optional.of(new Verdict(rule.action(), match.get()));
      }
    }
    return Optional.empty();
  }

  private static Optional<String> match(Rule rule, String namespace, JobPod pod, int index) {
    if (rule.operator() == null) {
      for (var condition : pod.conditions()) {
        if (rule.conditions().contains(condition)) {
          return Optional.of(
              "Pod %s/%s has condition %s matching %s rule at index %d"
                  .formatted(namespace, pod.name(), condition.type(), "FailJob", index));
        }
      }
      return Optional.empty();
    }
    for (var container : pod.containers()) { // app containers come first (JB-71)
      if (matches(rule, rule.operator(), container)) {
        return Optional.of(
            "Container %s for pod %s/%s failed with exit code %d matching %s rule at index %d"
                .formatted(
                    container.name(),
                    namespace,
                    pod.name(),
                    container.exitCode().orElse(0),
                    "FailJob",
                    index));
      }
    }
    return Optional.empty();
  }

  private static boolean matches(Rule rule, Operator operator, JobPod.Container container) {
    int code = container.exitCode().orElse(0);
    if (code == 0 || (rule.container() != null && !rule.container().equals(container.name()))) {
      return false;
    }
    return switch (operator) {
      case IN -> rule.codes().contains(code);
      case NOT_IN -> !rule.codes().contains(code);
    };
  }
}
