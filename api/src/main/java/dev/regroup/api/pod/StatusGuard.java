package dev.regroup.api.pod;

import dev.regroup.rules.Exit;
import dev.regroup.rules.ExitDecision;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.PodRestartRequest;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodStatus;
import java.util.Set;

/**
 * Whether a container that ended may run again (IMM-03). A node asks before it sends a status, the
 * API server before it takes one: both judge an exit as the node's plan does.
 */
public final class StatusGuard {

  private final Set<RuleGate> gates;

  public StatusGuard(Set<RuleGate> gates) {
    this.gates = Set.copyOf(gates);
  }

  /** Whether the next status may follow the one before. */
  public boolean allows(PodSpec spec, PodRestartRequest request, PodStatus before, PodStatus next) {
    return everyContainerMayRunAgain(spec, request)
        || spec.containers().stream().allMatch(container -> allows(spec, container, before, next));
  }

  private boolean allows(PodSpec spec, ContainerSpec container, PodStatus before, PodStatus next) {
    var old = before.container(container.name());
    var now = next.container(container.name());
    return old.isEmpty()
        || now.isEmpty()
        || now.get().state() instanceof ContainerState.Terminated
        || mayRunAgain(spec, container, old.get());
  }

  /** A pod that can be restarted as a whole. */
  public boolean everyContainerMayRunAgain(PodSpec spec, PodRestartRequest request) {
    return gates.contains(RuleGate.RESTART_ALL_CONTAINERS)
        && (request instanceof PodRestartRequest.Asked || hasRestartAllRule(spec));
  }

  /** Whether one container may run after what its status says of it. */
  public boolean mayRunAgain(PodSpec spec, ContainerSpec container, ContainerStatus before) {
    if (container.kind() == ContainerKind.SIDECAR
        || !(before.state() instanceof ContainerState.Terminated ended)) {
      return true;
    }
    var cause = ended.reason().equals("OOMKilled") ? Exit.Cause.OUT_OF_MEMORY : Exit.Cause.ORDINARY;
    var exit = new Exit(ended.exitCode(), cause, before.restartCount());
    var decision =
        ExitDecision.of(
            gates, spec.restartPolicy(), container.ownPolicy(), container.rules(), exit);
    // One that succeeded is done (DEC-30), until a new sandbox starts the pod anew (SEQ-25).
    boolean done =
        container.kind() == ContainerKind.INIT
            && ended.exitCode() == 0
            && spec.restartPolicy() != RestartPolicy.ALWAYS;
    return switch (decision) {
      case ExitDecision.Restart _ -> !done;
      case ExitDecision.RestartAll _ -> true;
      case ExitDecision.Stay _, ExitDecision.Complete _, ExitDecision.TerminatePod _ -> false;
    };
  }

  private static boolean hasRestartAllRule(PodSpec spec) {
    return spec.containers().stream()
        .flatMap(container -> container.rules().stream())
        .anyMatch(rule -> rule.action() == ExitRule.Action.RESTART_ALL_CONTAINERS);
  }
}
