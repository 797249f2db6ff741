package dev.regroup.server.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.review.AdmissionLink;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.structural.CustomKind;
import dev.regroup.server.body.Call;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.DeleteParameters;
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
    boolean dryRun = call.query().all("dryRun").contains("All");
    var review =
        new Review(
            type.kind(), operation, object, old, List.of(), RequestDetails.of(call, type, dryRun));
    var admitted = passed(call, review);
    guard.check(call.asker(), type, admitted.object(), old);
    call.warn(admitted.warnings());
    return admitted.object();
  }

  /** Whether the stored object may go. */
  void admitDeletion(Call call, ResourceType type, ObjectNode stored, DeleteParameters options)
      throws Refused, InterruptedException {
    var facts = RequestDetails.ofDeletion(call, type, options);
    var nothing = Wire.object();
    var review = new Review(type.kind(), Operation.DELETE, nothing, stored, List.of(), facts);
    call.warn(passed(call, review).warnings());
  }

  /**
   * Whether somebody may talk with a container of the pod that the call names.
   *
   * @param kind of the options that say how
   */
  public void admitConnection(Call call, ResourceType type, GroupVersionKind kind)
      throws Refused, InterruptedException {
    var facts = RequestDetails.of(call, type, false);
    var options = RequestDetails.connection(call, kind);
    var review = new Review(kind, Operation.CONNECT, options, null, List.of(), facts);
    call.warn(passed(call, review).warnings());
  }

  /** Whether this may be done to the object that the call names. */
  void admitAct(Call call, ResourceType type, GroupVersionKind kind, ObjectNode part)
      throws Refused, InterruptedException {
    boolean dryRun = call.query().all("dryRun").contains("All");
    var facts = RequestDetails.of(call, type, dryRun);
    var review = new Review(kind, Operation.ACT, part, null, List.of(), facts);
    call.warn(passed(call, review).warnings());
  }

  private Admitted passed(Call call, Review review) throws Refused, InterruptedException {
    var admitted = admission.admit(review, new StoredObjects(objects, call.kinds().catalog()));
    var refusal = admitted.refusal();
    if (refusal.isPresent()) {
      throw new Refused(refusal.get(), List.of()); // advice is for objects that are accepted
    }
    return admitted;
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
