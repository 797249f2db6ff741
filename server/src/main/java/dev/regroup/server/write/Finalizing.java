package dev.regroup.server.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.body.Bodies;
import dev.regroup.server.body.Call;
import dev.regroup.server.body.Presenter;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.WriteParameters;
import java.util.ArrayList;
import java.util.List;

/**
 * The {@code finalize} part of namespaces: the controller that emptied a namespace takes its
 * finalizer out of the spec, and with the last one the namespace goes.
 */
public final class Finalizing {
  private final ObjectStore objects;
  private final Writer writer;
  private final Presenter presenter;

  public Finalizing(ObjectStore objects, Writer writer, Presenter presenter) {
    this.objects = objects;
    this.writer = writer;
    this.presenter = presenter;
  }

  public Answer finalizeNamespace(Call call, ResourceType namespaces)
      throws Refused, InterruptedException {
    var accept = presenter.acceptOne(call, namespaces);
    var options = WriteParameters.of(call.query(), "UpdateOptions");
    var wanted = Bodies.object(call, namespaces, options);
    Writer.checkAddress(call, namespaces, wanted);
    check(namespaces, wanted);
    var version = Meta.text(wanted, "resourceVersion");
    while (true) {
      var entry = objects.get(namespaces, "", call.info().name());
      if (!version.isEmpty() && !version.equals(Long.toString(entry.revision()))) {
        throw Writer.modified(namespaces, call.info().name());
      }
      var old = ObjectStore.tree(entry.value());
      var next = old.deepCopy();
      var spec = next.get("spec") instanceof ObjectNode there ? there : next.putObject("spec");
      for (var field : List.of("labels", "annotations", "finalizers", "ownerReferences")) {
        Trees.carry(Meta.of(wanted), Meta.of(next), field);
      }
      Trees.child(Meta.of(next), "labels").put("kubernetes.io/metadata.name", call.info().name());
      var finalizers = wanted.path("spec").path("finalizers");
      if (finalizers.isEmpty()) {
        spec.remove("finalizers");
      } else {
        spec.set("finalizers", finalizers);
      }
      var stored = writer.commit(namespaces, entry, old, next, options);
      if (stored != null) {
        return presenter.one(call, namespaces, accept, 200, stored);
      }
    }
  }

  private static void check(ResourceType namespaces, ObjectNode wanted) throws Refused {
    var errors = new ArrayList<FieldError>();
    var finalizers = Trees.texts(wanted, "spec", "finalizers");
    for (int i = 0; i < finalizers.size(); i++) {
      var path = FieldPath.of("spec", "finalizers").index(i);
      errors.addAll(Metadata.finalizer(path, finalizers.get(i)));
    }
    if (!errors.isEmpty()) {
      throw new Refused(
          RefusalStatus.invalid(namespaces.kind(), Meta.name(wanted), errors), List.of());
    }
  }
}
