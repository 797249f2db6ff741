package dev.regroup.server.nodes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which labels of itself a node may say. Administrators steer pods to nodes by labels; a node that
 * could give itself any of them could draw secrets to itself. So those below {@code
 * node-restriction.kubernetes.io} are theirs alone, and of Kubernetes' own only what a node knows
 * best.
 */
final class NodeLabels {
  private static final String RESTRICTED = "node-restriction.kubernetes.io";
  private static final List<String> KUBERNETES = List.of("kubernetes.io", "k8s.io");
  private static final List<String> OF_NODES =
      List.of("kubelet.kubernetes.io", "node.kubernetes.io");
  private static final Set<String> KNOWN =
      Set.of(
          "kubernetes.io/hostname",
          "kubernetes.io/os",
          "kubernetes.io/arch",
          "beta.kubernetes.io/os",
          "beta.kubernetes.io/arch",
          "beta.kubernetes.io/instance-type",
          "topology.kubernetes.io/zone",
          "topology.kubernetes.io/region",
          "failure-domain.beta.kubernetes.io/zone",
          "failure-domain.beta.kubernetes.io/region");

  private NodeLabels() {}

  /** The labels that a node changes and may not, sorted. */
  static Set<String> refused(ObjectNode node, @Nullable ObjectNode old) {
    var now = labels(node);
    Map<String, String> before = old == null ? Map.of() : labels(old);
    var changed = new TreeSet<>(now.keySet());
    changed.addAll(before.keySet());
    changed.removeIf(key -> Objects.equals(now.get(key), before.get(key)) || allowed(key));
    return changed;
  }

  private static Map<String, String> labels(ObjectNode node) {
    return Trees.map(node, "metadata", "labels");
  }

  private static boolean allowed(String key) {
    int slash = key.indexOf('/');
    String domain = slash < 0 ? "" : key.substring(0, slash);
    if (within(domain, RESTRICTED)) {
      return false;
    }
    boolean ofKubernetes = KUBERNETES.stream().anyMatch(one -> within(domain, one));
    return !ofKubernetes
        || KNOWN.contains(key)
        || OF_NODES.stream().anyMatch(one -> within(domain, one));
  }

  private static boolean within(String domain, String parent) {
    return domain.equals(parent) || domain.endsWith("." + parent);
  }
}
