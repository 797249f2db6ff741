package dev.regroup.server.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.review.AdmissionLink;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.structural.CustomKind;
import dev.regroup.server.body.Call;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an object must pass before it is stored: its namespace, admission, and the guard. */
public final class AdmissionGate {
  private final ObjectStore objects;
  private final AdmissionLink<InterruptedException> admission;
  private final WriteGuard guard;

  public AdmissionGate(
      ObjectStore objects, AdmissionLink<InterruptedException> admission, WriteGuard guard) {
    this.objects = objects;
    this.admission = admission;
    this.guard = guard;
  }

  /** Returns the object to store; adds admission's warnings to the call. */
  ObjectNode admit(
      Call call,
      ResourceType type,
      Operation operation,
      ObjectNode object,
      @Nullable ObjectNode old)
      throws Refused, InterruptedException {
    var review = new Review(type.kind(), operation, object, old);
    var admitted = admission.admit(review, new StoredObjects(objects, call.kinds().catalog()));
    var refusal = admitted.refusal();
    if (refusal.isPresent()) {
      throw new Refused(refusal.get(), List.of()); // advice is for objects that are accepted
    }
    guard.check(call.asker(), type, admitted.object(), old);
    call.warn(admitted.warnings());
    return admitted.object();
  }

  /** New objects need a namespace that exists and stays. */
  void checkNamespace(Call call, ResourceType type, String namespace, String name) throws Refused {
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

  /** What admission may look at: everything that is stored. */
  private record StoredObjects(ObjectStore objects, Catalog catalog) implements Lookup {

    @Override
    public Optional<ObjectNode> find(
        String apiVersion, String kind, @Nullable String namespace, String name) {
      return catalog
          .find(GroupVersionKind.of(apiVersion, kind))
          .flatMap(type -> objects.find(type, namespace == null ? "" : namespace, name))
          .map(entry -> ObjectStore.tree(entry.value()));
    }

    @Override
    public Optional<CustomKind> custom(GroupVersionKind kind) {
      return catalog.find(kind).flatMap(ResourceType::custom);
    }

    @Override
    public List<ObjectNode> named(String apiVersion, String kind, String namespace, String prefix) {
      return catalog.find(GroupVersionKind.of(apiVersion, kind)).stream()
          .flatMap(type -> objects.named(type, namespace, prefix).entries().stream())
          .map(entry -> ObjectStore.tree(entry.value()))
          .toList();
    }
  }
}
