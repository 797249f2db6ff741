package dev.regroup.server.nodes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.pod.PodReferences;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.access.Identity;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.server.write.WriteGuard;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a node may write into objects that it may write: only what is about itself. */
public final class NodeRestriction implements WriteGuard {
  private final ObjectStore objects;
  private final ResourceType nodes;

  public NodeRestriction(ObjectStore objects, ResourceType nodes) {
    this.objects = objects;
    this.nodes = nodes;
  }

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

  private Optional<String> ofPod(String node, ObjectNode pod, @Nullable ObjectNode old) {
    if (old == null) {
      return ofMirror(node, pod);
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

  /**
   * A node tells of the pods it has from elsewhere. They may name no other objects: the node could
   * read whatever it liked by naming it.
   */
  private Optional<String> ofMirror(String node, ObjectNode pod) {
    if (!PodReferences.isMirror(pod)) {
      return Optional.of(
          "pod does not have \"%s\" annotation, node \"%s\" can only create mirror pods"
              .formatted(PodReferences.MIRROR, node));
    }
    if (!runsOn(node, pod)) {
      return Optional.of(
          "node \"%s\" can only create pods with spec.nodeName set to itself".formatted(node));
    }
    return ofOwner(node, Trees.objects(pod.path("metadata"), "ownerReferences"))
        .or(() ->
            PodReferences.kind(pod)
                .map(kind ->
                    "node \"%s\" can not create pods that reference %s".formatted(node, kind)));
  }

  private Optional<String> ofOwner(String node, List<ObjectNode> owners) {
    var can = "node \"" + node + "\" can only create pods with ";
    if (owners.size() > 1) {
      return Optional.of(can + "a single owner reference set to itself");
    }
    if (owners.isEmpty() || !isNode(node, owners.getFirst())) {
      return Optional.of(can + "an owner reference set to itself");
    }
    var owner = owners.getFirst();
    if (!Trees.isTrue(owner, "controller")) {
      return Optional.of(can + "a controller owner reference set to itself");
    }
    if (Trees.isTrue(owner, "blockOwnerDeletion")) {
      return Optional.of(
          "node \"%s\" must not set blockOwnerDeletion on an owner reference".formatted(node));
    }
    var uid = objects.find(nodes, "", node).map(entry -> Meta.uid(ObjectStore.tree(entry.value())));
    var given = Trees.text(owner, "uid");
    return uid.equals(Optional.of(given))
        ? Optional.empty()
        : Optional.of(
            "node %s UID mismatch: expected %s got %s".formatted(node, given, uid.orElse("")));
  }

  private static boolean isNode(String node, ObjectNode owner) {
    return Trees.text(owner, "apiVersion").equals("v1")
        && Trees.text(owner, "kind").equals("Node")
        && Trees.text(owner, "name").equals(node);
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
