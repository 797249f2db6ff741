package dev.regroup.server.nodes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.access.Identity;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.server.write.WriteGuard;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a node may write into objects that it may write: only what is about itself. */
public final class NodeRestriction implements WriteGuard {
  private static final String MIRROR = "kubernetes.io/config.mirror";

  @Override
  public void check(Identity asker, ResourceType type, ObjectNode object, @Nullable ObjectNode old)
      throws Refused {
    var node = asker.nodeName();
    if (node.isEmpty()) {
      return;
    }
    var problem =
        switch (type.kind().kind()) {
          case "Pod" -> ofPod(node.get(), object, old);
          case "Node" -> ofNode(node.get(), object, old);
          case "Lease" -> ofLease(node.get(), object);
          default -> Optional.<String>empty();
        };
    if (problem.isPresent()) {
      throw new Refused(Status.forbidden(type.groupResource(), Meta.name(object), problem.get()));
    }
  }

  private static Optional<String> ofPod(String node, ObjectNode pod, @Nullable ObjectNode old) {
    if (old == null) {
      if (!pod.path("metadata").path("annotations").has(MIRROR)) {
        return Optional.of(
            "pod does not have \"%s\" annotation, node \"%s\" can only create mirror pods"
                .formatted(MIRROR, node));
      }
      return runsOn(node, pod)
          ? Optional.empty()
          : Optional.of(
              "node \"%s\" can only create pods with spec.nodeName set to itself".formatted(node));
    }
    if (!runsOn(node, old)) {
      return Optional.of(
          "node \"%s\" can only update pod status for pods with spec.nodeName set to itself"
              .formatted(node));
    }
    return Trees.map(pod, "metadata", "labels").equals(Trees.map(old, "metadata", "labels"))
        ? Optional.empty()
        : Optional.of("node \"%s\" cannot update labels through pod status".formatted(node));
  }

  private static boolean runsOn(String node, ObjectNode pod) {
    return Trees.text(pod, "spec", "nodeName").equals(node);
  }

  private static Optional<String> ofNode(String node, ObjectNode object, @Nullable ObjectNode old) {
    if (!Meta.name(object).equals(node)) {
      return Optional.of(
          "node \"%s\" is not allowed to modify node \"%s\"".formatted(node, Meta.name(object)));
    }
    boolean taints =
        old != null && !old.path("spec").path("taints").equals(object.path("spec").path("taints"));
    if (taints) {
      return Optional.of("node \"%s\" is not allowed to modify taints".formatted(node));
    }
    var labels = NodeLabels.refused(object, old);
    if (labels.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        (old == null
                ? "node \"%s\" is not allowed to set the following labels: %s"
                : "node \"%s\" is not allowed to modify labels: %s")
            .formatted(node, String.join(", ", labels)));
  }

  private static Optional<String> ofLease(String node, ObjectNode lease) {
    return Meta.name(lease).equals(node)
        ? Optional.empty()
        : Optional.of("can only access node lease with the same name as the requesting node");
  }
}
