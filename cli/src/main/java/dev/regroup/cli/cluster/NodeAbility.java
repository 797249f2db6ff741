package dev.regroup.cli.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gate;
import dev.regroup.api.tree.Trees;

/**
 * What one node can do for a group.
 *
 * @param kubelet its version as it says it
 * @param restartsAll it restarts all containers of a pod in place: it declares so (KEP-5532)
 */
record NodeAbility(String kubelet, boolean restartsAll) {

  static NodeAbility of(ObjectNode node) {
    return new NodeAbility(
        Trees.text(node, "status", "nodeInfo", "kubeletVersion"),
        Trees.texts(node, "status", "declaredFeatures")
            .contains(Gate.RESTART_ALL_CONTAINERS.wireName()));
  }
}
