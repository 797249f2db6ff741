package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Namespaces: the label with their own name and the finalizer that empties them. */
final class NamespaceRules implements KindRules {

  private static final String FINALIZER = "kubernetes";

  @Override
  public boolean hasStatus() {
    return true;
  }

  @Override
  public void fill(ObjectNode namespace) {
    ObjectNode metadata = Trees.child(namespace, "metadata");
    String name = Trees.text(metadata, "name");
    if (!name.isEmpty()) {
      Trees.child(metadata, "labels").put("kubernetes.io/metadata.name", name);
    }
  }

  @Override
  public void begin(ObjectNode namespace) {
    ObjectNode spec = Trees.child(namespace, "spec");
    if (!Trees.texts(spec, "finalizers").contains(FINALIZER)) {
      Trees.list(spec, "finalizers").add(FINALIZER);
    }
    namespace.putObject("status").put("phase", "Active");
  }

  @Override
  public void keep(ObjectNode namespace, ObjectNode old) {
    Trees.carry(old, namespace, "spec"); // its own subresource changes it
  }

  @Override
  public List<FieldError> check(ObjectNode namespace, @Nullable ObjectNode old) {
    if (old != null) {
      return List.of();
    }
    var errors = new ArrayList<FieldError>();
    for (String finalizer : Trees.texts(namespace, "spec", "finalizers")) {
      errors.addAll(Metadata.finalizer(FieldPath.of("spec", "finalizers"), finalizer));
    }
    return errors;
  }

  @Override
  public List<FieldError> checkStatus(ObjectNode namespace, ObjectNode old) {
    boolean goes = Trees.has(namespace, "metadata", "deletionTimestamp");
    String phase = Trees.text(namespace, "status", "phase");
    if (phase.equals(goes ? "Terminating" : "Active")) {
      return List.of();
    }
    return List.of(
        invalid(
            FieldPath.of("status", "Phase"),
            phase,
            goes
                ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                : "may only be 'Active' if `deletionTimestamp` is empty"));
  }
}
