package dev.regroup.cli.explain;

import dev.regroup.rules.Exit;
import dev.regroup.rules.ExitDecision;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.PodSpec;
import java.util.Set;

/**
 * Who decided about an exit.
 *
 * @param field {@code restartPolicyRules[j]}, {@code restartPolicy} (the container's), {@code
 *     spec.restartPolicy} (the pod's), {@code lifecycle.onCompletion}, or {@code exit code 0} where
 *     nothing can change what it means
 * @param rule the row of node.md 2.3 or section 5
 */
record Decider(String field, String rule) {

  private static final String POLICY = "restartPolicy";
  private static final String POD_POLICY = "spec.restartPolicy";

  static Decider of(
      Set<RuleGate> gates, PodSpec pod, ContainerSpec container, Exit exit, PodOutcome outcome) {
    var decision =
        ExitDecision.of(gates, pod.restartPolicy(), container.ownPolicy(), container.rules(), exit);
    if (outcome.byCompletion() && !(decision instanceof ExitDecision.TerminatePod)) {
      return new Decider("lifecycle.onCompletion", completionRow(decision, container, pod));
    }
    return new Decider(
        field(decision, container, exit),
        switch (container.kind()) {
          case INIT -> initRow(decision, container, pod, exit);
          case SIDECAR -> sidecarRow(decision);
          case REGULAR, EPHEMERAL -> regularRow(decision, container, pod);
        });
  }

  private static String field(ExitDecision decision, ContainerSpec container, Exit exit) {
    boolean waived =
        decision instanceof ExitDecision.Restart || decision instanceof ExitDecision.Stay;
    if (container.kind() == ContainerKind.INIT && exit.code() == 0 && waived) {
      return "exit code 0"; // done whatever policy and Restart rules say (DEC-30)
    }
    return switch (decision) {
      case ExitDecision.RestartAll(_, int index) -> rule(index);
      case ExitDecision.Complete(int index) -> rule(index);
      case ExitDecision.TerminatePod(int index) -> rule(index);
      case ExitDecision.Restart(ExitDecision.By by) ->
          by(by, ExitRule.Action.RESTART, container, exit);
      case ExitDecision.Stay(ExitDecision.By by) ->
          by(by, ExitRule.Action.TERMINATE, container, exit);
    };
  }

  /** The decision does not carry the place of these two; the first match of the action is it. */
  private static String by(
      ExitDecision.By by, ExitRule.Action action, ContainerSpec container, Exit exit) {
    if (by == ExitDecision.By.RULE) {
      for (int i = 0; i < container.rules().size(); i++) {
        var rule = container.rules().get(i);
        if (rule.action() == action && rule.matches(exit)) {
          return rule(i);
        }
      }
    }
    return container.ownPolicy() == RestartPolicy.INHERIT ? POD_POLICY : POLICY;
  }

  private static String rule(int index) {
    return "restartPolicyRules[" + index + "]";
  }

  private static String regularRow(ExitDecision decision, ContainerSpec container, PodSpec pod) {
    return switch (decision) {
      case ExitDecision.RestartAll _ -> "DEC-27";
      case ExitDecision.Complete _ -> "DEC-52";
      case ExitDecision.TerminatePod _ -> "DEC-57";
      case ExitDecision.Restart(ExitDecision.By by) when by == ExitDecision.By.RULE -> "DEC-26";
      case ExitDecision.Stay(ExitDecision.By by) when by == ExitDecision.By.RULE -> "DEC-51";
      case ExitDecision.Restart _, ExitDecision.Stay _ ->
          switch (container.ownPolicy()) {
            case ALWAYS -> "DEC-23";
            case ON_FAILURE -> "DEC-24";
            case NEVER -> "DEC-25";
            case INHERIT ->
                switch (pod.restartPolicy()) {
                  case ALWAYS -> "DEC-20";
                  case ON_FAILURE -> "DEC-21";
                  case NEVER, INHERIT -> "DEC-22";
                };
          };
    };
  }

  private static String initRow(
      ExitDecision decision, ContainerSpec container, PodSpec pod, Exit exit) {
    return switch (decision) {
      case ExitDecision.RestartAll _ -> exit.code() == 0 ? "DEC-31" : "DEC-37";
      case ExitDecision.Complete _ -> "DEC-54";
      case ExitDecision.TerminatePod _ -> "DEC-57";
      case ExitDecision.Stay(ExitDecision.By by) when by == ExitDecision.By.RULE -> "DEC-53";
      case ExitDecision.Restart _, ExitDecision.Stay _ when exit.code() == 0 -> "DEC-30";
      case ExitDecision.Restart(ExitDecision.By by) when by == ExitDecision.By.RULE -> "DEC-36";
      case ExitDecision.Restart _, ExitDecision.Stay _ ->
          switch (container.ownPolicy()) {
            case NEVER -> "DEC-34";
            case ON_FAILURE, ALWAYS -> "DEC-35";
            case INHERIT -> pod.restartPolicy() == RestartPolicy.NEVER ? "DEC-33" : "DEC-32";
          };
    };
  }

  private static String sidecarRow(ExitDecision decision) {
    return switch (decision) {
      case ExitDecision.RestartAll _ -> "DEC-41";
      case ExitDecision.Complete _ -> "DEC-56";
      case ExitDecision.TerminatePod _ -> "DEC-57";
      case ExitDecision.Stay(ExitDecision.By by) when by == ExitDecision.By.RULE -> "DEC-55";
      case ExitDecision.Restart _, ExitDecision.Stay _ -> "DEC-40";
    };
  }

  private static String completionRow(ExitDecision decision, ContainerSpec container, PodSpec pod) {
    return switch (decision) {
      case ExitDecision.Complete _ -> "TPC-16";
      case ExitDecision.Stay(ExitDecision.By by) when by == ExitDecision.By.RULE -> "TPC-16";
      case ExitDecision.Stay _ ->
          container.ownPolicy().or(pod.restartPolicy()) == RestartPolicy.ON_FAILURE
              ? "TPC-11"
              : "TPC-10";
      case ExitDecision.RestartAll _ -> "TPC-14";
      case ExitDecision.Restart _ -> "TPC-13";
      case ExitDecision.TerminatePod _ -> "TPC-15";
    };
  }
}
