package dev.regroup.server.objects;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.Admission;
import dev.regroup.api.admission.jobset.PodPlacement;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an object must pass before it is stored: its namespace, and admission. */
public final class AdmissionGate {
  private final ObjectStore objects;
  private final Admission admission;

  public AdmissionGate(ObjectStore objects, Admission admission) {
    this.objects = objects;
    this.admission = admission;
  }

  /** Returns the object to store; adds admission's warnings to the call. */
  ObjectNode admit(
      Call call,
      ResourceType type,
      Operation operation,
      ObjectNode object,
      @Nullable ObjectNode old)
      throws Refused {
    var catalog = call.kinds().catalog();
    Lookup lookup = (version, kind, namespace, name) -> find(catalog, version, kind, namespace, name);
    var review = new Review(type.kind(), operation, object, old);
    var admitted = admission.admit(review, lookup);
    var refusal = admitted.refusal();
    if (refusal.isPresent()) {
      throw new Refused(refusal.get(), List.of()); // advice is for objects that are accepted
    }
    call.warn(admitted.warnings());
    boolean newPod = operation == Operation.CREATE && type.collection().equals("pods");
    return newPod && PodPlacement.concerns(admitted.object())
        ? placed(catalog, type, admitted.object())
        : admitted.object();
  }

  /** What JobSet's webhook for pods adds or refuses on clusters (JS-91). */
  private ObjectNode placed(Catalog catalog, ResourceType pods, ObjectNode pod) throws Refused {
    var neighbours =
        new PodPlacement.Neighbours() {
          @Override
          public List<ObjectNode> podsNamed(String namespace, String prefix) {
            var start = pods.key(namespace, prefix);
            return objects.list(pods, namespace).entries().stream()
                .filter(entry -> entry.key().startsWith(start))
                .map(entry -> ObjectStore.tree(entry.value()))
                .toList();
          }

          @Override
          public Optional<ObjectNode> node(String name) {
            return find(catalog, "v1", "Node", null, name);
          }
        };
    var placed = PodPlacement.of(pod, neighbours);
    if (placed.refusal() != null) {
      throw new Refused(placed.refusal(), List.of());
    }
    return placed.pod();
  }

  /** New objects need a namespace that exists and stays. */
  void checkNamespace(Call call, ResourceType type, String namespace, String name)
      throws Refused {
    if (!type.namespaced()) {
      return;
    }
    var namespaces = call.kinds().core("namespaces");
    var entry = objects.find(namespaces, "", namespace);
    if (entry.isEmpty()) {
      throw new Refused(Status.notFound(namespaces.groupResource(), namespace));
    }
    var tree = ObjectStore.tree(entry.get().value());
    if (!tree.path("status").path("phase").asText().equals("Terminating")) {
      return;
    }
    var forbidden =
        Status.forbidden(
            type.groupResource(),
            name,
            "unable to create new content in namespace "
                + namespace
                + " because it is being terminated");
    var cause =
        new Status.Cause(
            "NamespaceTerminating",
            "namespace " + namespace + " is being terminated",
            "metadata.namespace");
    var details =
        new Status.Details(name, type.kind().group(), type.names().plural(), List.of(cause));
    throw new Refused(
        new Status(forbidden.code(), forbidden.reason(), forbidden.message(), details));
  }

  private Optional<ObjectNode> find(
      Catalog catalog,
      String apiVersion,
      String kind,
      @Nullable String namespace,
      String name) {
    return catalog
        .find(GroupVersionKind.of(apiVersion, kind))
        .flatMap(type -> objects.find(type, namespace == null ? "" : namespace, name))
        .map(entry -> ObjectStore.tree(entry.value()));
  }
}
