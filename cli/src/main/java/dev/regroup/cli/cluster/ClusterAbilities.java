package dev.regroup.cli.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.jobset.AgentInjection;
import java.util.Collection;
import java.util.regex.Pattern;

/**
 * What this cluster can do, and which agent follows from it (JS-132b): a sidecar where every node
 * can restart all containers of a pod, a parent process where not.
 *
 * @param server version of the API server
 * @param nodes how many there are
 * @param capable how many of them can restart all containers of a pod
 */
record ClusterAbilities(String server, int nodes, int capable) {

  private static final Pattern VERSION = Pattern.compile("v?(\\d+)\\.(\\d+).*");
  private static final int RULES = 36; // since 1.36 the API server takes the rule by default

  static ClusterAbilities of(String server, Collection<NodeAbility> nodes) {
    int capable = (int) nodes.stream().filter(NodeAbility::restartsAll).count();
    return new ClusterAbilities(server, nodes.size(), capable);
  }

  /** Without a node yet, the server's version has to do: its nodes will be like it. */
  boolean restartsAll() {
    return serverTakesRules() && capable == nodes;
  }

  private boolean serverTakesRules() {
    var version = VERSION.matcher(server);
    return version.matches()
        && (Integer.parseInt(version.group(1)) > 1 || Integer.parseInt(version.group(2)) >= RULES);
  }

  String agentKind() {
    return restartsAll() ? AgentInjection.SIDECAR : AgentInjection.PROCESS;
  }

  /** One line for a log. */
  String sentence() {
    return "Kubernetes %s, %d of %d nodes restart all containers of a pod in place: agents are %s"
        .formatted(
            server,
            capable,
            nodes,
            restartsAll()
                ? "sidecars"
                : "parents of the worker process (kind process), which any version can run");
  }

  ObjectNode json() {
    return Wire.object()
        .put("serverVersion", server)
        .put("nodes", nodes)
        .put("nodesThatRestartAllContainers", capable)
        .put("agentKind", agentKind());
  }
}
