package dev.regroup.cli.deploy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.util.List;

/**
 * What agents in pods need in any cluster, as an installation makes it: their role, and the policy
 * that leaves them one annotation of their own pod (JS-149d).
 */
public final class AgentRights {

  private AgentRights() {}

  /** In the order they are made. */
  public static List<ObjectNode> objects() {
    var values = Wire.object().put("agentPolicy", true).put("flowControl", false);
    values.putArray("agentNamespaces");
    return new Chart(Chart.DEFAULT_NAMESPACE, values).objects("agents.yaml");
  }
}
