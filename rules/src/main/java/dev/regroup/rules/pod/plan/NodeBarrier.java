package dev.regroup.rules.pod.plan;

import dev.regroup.rules.group.AgentMind;
import dev.regroup.rules.pod.PodSpec.BarrierRole;

/**
 * The node as agent of its own pods (JS-165): where a pod stands, as {@link AgentMind} asks for it.
 * A pod of another agent, or of none, is never held by the node.
 */
final class NodeBarrier {
  private NodeBarrier() {}

  static AgentMind of(View view) {
    return view.spec.barrier() == BarrierRole.NODE_AGENT
        ? AgentMind.of(view.seen.group(), self(view))
        : new AgentMind.Run();
  }

  /** The least the pod's next attempt can be. */
  static int floor(View view) {
    return self(view).left().floor();
  }

  static String message(AgentMind.Reason reason, View view) {
    return switch (reason) {
      case NEWS -> "waiting for the group: its state is not known yet";
      case THE_OTHERS -> atAttempt(view.cycle.attempt().orElseThrow());
    };
  }

  static String atAttempt(int attempt) {
    return "waiting for the group at attempt " + attempt;
  }

  /** Once a regular container was let through, a helper beside it may restart on its own. */
  private static AgentMind.Self self(View view) {
    var attempt = view.cycle.attempt();
    boolean started =
        attempt.isPresent() && view.regular.stream().anyMatch(c -> view.here(c).isPresent());
    return new AgentMind.Self(
        attempt,
        view.cycle.attemptFloor(),
        started ? AgentMind.Worker.STARTED : AgentMind.Worker.WAITS);
  }
}
