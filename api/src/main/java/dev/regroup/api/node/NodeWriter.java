package dev.regroup.api.node;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.pod.StatusReader;
import dev.regroup.api.schema.Times;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.node.NodeHealth;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Writes what a node no longer says itself, in the words of Kubernetes. */
public final class NodeWriter {

  private static final List<String> CONDITIONS =
      List.of(NodeReader.READY, "MemoryPressure", "DiskPressure", "PIDPressure");

  private NodeWriter() {}

  /**
   * A merge patch that gives the node the taints of its health and leaves all others; empty when it
   * has them. It holds only for the version of the node it was made from.
   */
  public static Optional<ObjectNode> taints(ObjectNode node, NodeHealth health, Instant now) {
    var wanted = new ArrayList<>(health.taints());
    var kept = new ArrayList<ObjectNode>();
    boolean changes = false;
    for (var taint : Trees.objects(node, "spec", "taints")) {
      var read = NodeReader.taint(taint);
      boolean ours = NodeHealth.KEYS.contains(read.key());
      if (!ours || wanted.remove(read)) {
        kept.add(taint);
      } else {
        changes = true;
      }
    }
    if (!changes && wanted.isEmpty()) {
      return Optional.empty();
    }
    var patch = Wire.object();
    patch
        .putObject("metadata")
        .put("resourceVersion", Trees.text(node, "metadata", "resourceVersion"));
    var taints = patch.putObject("spec").putArray("taints");
    kept.forEach(taints::add);
    for (var taint : wanted) {
      taints
          .addObject()
          .put("key", taint.key())
          .put("effect", taint.effect())
          .put("timeAdded", Times.seconds(now));
    }
    return Optional.of(patch);
  }

  /** A strategic merge patch of the status of a node that is silent; empty when it says so. */
  public static Optional<ObjectNode> silence(ObjectNode node, Instant now) {
    var patch = Wire.object();
    var conditions = patch.putObject("status").putArray("conditions");
    for (String type : CONDITIONS) {
      var known = StatusReader.condition(node.path("status"), type);
      if (known.isPresent() && Trees.text(known.get(), "status").equals("Unknown")) {
        continue;
      }
      var entry = conditions.addObject().put("type", type).put("status", "Unknown");
      if (known.isPresent()) {
        entry.put("reason", "NodeStatusUnknown");
        entry.put("message", "Kubelet stopped posting node status.");
      } else {
        entry.put("reason", "NodeStatusNeverUpdated");
        entry.put("message", "Kubelet never posted node status.");
        entry.put("lastHeartbeatTime", Trees.text(node, "metadata", "creationTimestamp"));
      }
      entry.put("lastTransitionTime", Times.seconds(now));
    }
    return conditions.isEmpty() ? Optional.empty() : Optional.of(patch);
  }
}
