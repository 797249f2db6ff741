package dev.regroup.cli.check;

import dev.regroup.rules.Exit;
import dev.regroup.rules.ExitDecision;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.PodSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Traps in the rules of one container (VAL-31, DEC-30, DEC-31). */
final class ContainerTraps {

  private static final int LARGEST_CODE = 255;

  private final Set<RuleGate> gates;
  private final PodSpec pod;
  private final ContainerSpec container;
  private final String field;

  ContainerTraps(Set<RuleGate> gates, PodSpec pod, ContainerSpec container, String field) {
    this.gates = gates;
    this.pod = pod;
    this.container = container;
    this.field = field;
  }

  List<Finding> find(boolean inJob) {
    var findings = new ArrayList<Finding>();
    var exits = exits();
    for (int i = 0; i < container.rules().size(); i++) {
      withoutEffect(i, exits, findings);
    }
    endless(inJob, findings);
    return findings;
  }

  /** Every exit that rules can tell apart. */
  private List<Exit> exits() {
    var restarts = new TreeSet<Integer>(List.of(0));
    for (ExitRule rule : container.rules()) {
      if (rule.condition() instanceof ExitRule.Condition.RestartTimes(int atLeast)) {
        restarts.add(Math.max(0, atLeast));
      }
    }
    var exits = new ArrayList<Exit>();
    for (int count : restarts) {
      for (int code = 0; code <= LARGEST_CODE; code++) {
        exits.add(new Exit(code, Exit.Cause.ORDINARY, count));
      }
      exits.add(new Exit(137, Exit.Cause.OUT_OF_MEMORY, count));
    }
    return exits;
  }

  private void withoutEffect(int index, List<Exit> exits, List<Finding> findings) {
    var rule = container.rules().get(index);
    String at = field + ".restartPolicyRules[" + index + "]";
    var matching = exits.stream().filter(rule::matches).toList();
    if (matching.isEmpty()) {
      findings.add(Finding.warning(at, "matches no exit code a container can have"));
      return;
    }
    var decided =
        matching.stream()
            .filter(exit ->
                container.rules().subList(0, index).stream()
                    .noneMatch(earlier -> earlier.matches(exit)))
            .toList();
    if (decided.isEmpty()) {
      findings.add(
          Finding.warning(
              at, "is never reached, earlier rules take every exit it matches (move it up)"));
      return;
    }
    if (rule.action() != ExitRule.Action.RESTART) {
      return;
    }
    if (container.ownPolicy() == RestartPolicy.ALWAYS && lastWord(index)) {
      findings.add(
          Finding.warning(
              at, "has no effect, restartPolicy Always restarts the container anyway (VAL-31)"));
    }
    boolean onlyZero = decided.stream().allMatch(exit -> exit.code() == 0);
    if (container.kind() == ContainerKind.INIT && onlyZero) {
      findings.add(
          Finding.warning(
              at, "has no effect, an init container that exits with 0 is done (DEC-30)"));
    }
  }

  /** Whether no later rule would decide otherwise if this one were not there. */
  private boolean lastWord(int index) {
    return container.rules().subList(index + 1, container.rules().size()).stream()
        .allMatch(later -> later.action() == ExitRule.Action.RESTART);
  }

  /** Success that leads to a restart never ends. */
  private void endless(boolean inJob, List<Finding> findings) {
    var decision =
        ExitDecision.of(
            gates, pod.restartPolicy(), container.ownPolicy(), container.rules(), Exit.of(0));
    int index = firstMatch();
    if (index < 0) {
      return;
    }
    String at = field + ".restartPolicyRules[" + index + "]";
    if (container.kind() == ContainerKind.INIT && decision instanceof ExitDecision.RestartAll) {
      findings.add(
          Finding.warning(
              at,
              "also matches exit code 0, so an init container that succeeds restarts the Pod for"
                  + " ever (exclude 0; DEC-31)"));
    }
    boolean again =
        decision instanceof ExitDecision.RestartAll || decision instanceof ExitDecision.Restart;
    if (inJob && again && container.kind() == ContainerKind.REGULAR) {
      findings.add(
          Finding.warning(
              at,
              "also matches exit code 0, so the container never completes and its Job never ends"
                  + " (exclude 0)"));
    }
  }

  private int firstMatch() {
    for (int i = 0; i < container.rules().size(); i++) {
      if (container.rules().get(i).matches(Exit.of(0))) {
        return i;
      }
    }
    return -1;
  }
}
