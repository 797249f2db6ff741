package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.ExitRule;
import java.util.Optional;

/**
 * How the group agent of a pod is recognised (JS-57a): a sidecar with a rule that restarts all
 * containers, else a container that is told which worker to run as its child.
 */
public final class AgentMarks {

  /** Tells an agent to run the worker itself (JS-132a). */
  public static final String WORKER_COMMAND = "WORKER_COMMAND";

  private AgentMarks() {}

  /** The container that plays the agent; empty when there is none. */
  public static Optional<ObjectNode> find(JsonNode podSpec) {
    return Trees.objects(podSpec, "initContainers").stream()
        .filter(AgentMarks::isSidecarAgent)
        .findFirst()
        .or(() ->
            Trees.objects(podSpec, "containers").stream()
                .filter(AgentMarks::runsWorker)
                .findFirst());
  }

  /** Whether this init container is an agent beside the workers (JS-130). */
  public static boolean isSidecarAgent(JsonNode initContainer) {
    return RestartFields.isSidecar(initContainer)
        && Trees.objects(initContainer, "restartPolicyRules").stream()
            .map(rule -> Trees.text(rule, "action"))
            .anyMatch(ExitRule.Action.RESTART_ALL_CONTAINERS.wireName()::equals);
  }

  /** Whether this container is an agent with the worker as its child (JS-132a). */
  public static boolean runsWorker(JsonNode container) {
    return Trees.objects(container, "env").stream()
        .anyMatch(variable -> Trees.text(variable, "name").equals(WORKER_COMMAND));
  }
}
