package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.ClaimSpecs;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.schema.Quantity;
import dev.regroup.api.tree.Trees;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Claims for volumes. */
final class ClaimRules implements KindRules {

  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final List<String> RESIZES =
      List.of(
          "ControllerResizeInProgress",
          "ControllerResizeInfeasible",
          "NodeResizeInProgress",
          "NodeResizeInfeasible",
          "NodeResizePending");
  private static final String OLD_CLASS = "volume.beta.kubernetes.io/storage-class";
  private static final String PROTECTION = "kubernetes.io/pvc-protection";

  @Override
  public boolean hasStatus() {
    return true;
  }

  @Override
  public void fill(ObjectNode claim) {
    Trees.fill(Trees.child(claim, "spec"), "volumeMode", "Filesystem");
  }

  @Override
  public void begin(ObjectNode claim) {
    claim.putObject("status").put("phase", "Pending");
    var finalizers = Trees.list(Trees.child(claim, "metadata"), "finalizers");
    if (!Trees.texts(claim, "metadata", "finalizers").contains(PROTECTION)) {
      finalizers.add(PROTECTION);
    }
  }

  /** A source that is named in one place is named in the other, too; some are ignored. */
  @Override
  public void complete(ObjectNode claim) {
    ObjectNode spec = Trees.child(claim, "spec");
    if (!Trees.has(spec, "dataSourceRef") && !isKnownSource(spec.path("dataSource"))) {
      spec.remove("dataSource");
    }
    Trees.object(spec, "dataSource")
        .filter(_ -> !Trees.has(spec, "dataSourceRef"))
        .ifPresent(source -> spec.set("dataSourceRef", source(source)));
    Trees.object(spec, "dataSourceRef")
        .filter(_ -> !Trees.has(spec, "dataSource"))
        .filter(reference -> Trees.text(reference, "namespace").isEmpty())
        .ifPresent(reference -> spec.set("dataSource", source(reference)));
  }

  private static boolean isKnownSource(JsonNode source) {
    return switch (Trees.text(source, "kind")) {
      case "PersistentVolumeClaim" -> Trees.text(source, "apiGroup").isEmpty();
      case "VolumeSnapshot" -> Trees.text(source, "apiGroup").equals("snapshot.storage.k8s.io");
      default -> false;
    };
  }

  private static ObjectNode source(ObjectNode other) {
    ObjectNode source = Wire.object();
    for (String field : List.of("apiGroup", "kind", "name")) {
      Trees.carry(other, source, field);
    }
    return source;
  }

  @Override
  public List<String> warnings(ObjectNode claim) {
    var warnings = new ArrayList<>(ClaimSpecs.warnings(claim.path("spec"), SPEC));
    if (Trees.has(claim, "metadata", "annotations", OLD_CLASS)) {
      warnings.addFirst(
          "metadata.annotations[%s]: deprecated since v1.8; use \"storageClassName\" attribute instead"
              .formatted(OLD_CLASS));
    }
    return warnings;
  }

  @Override
  public List<FieldError> check(ObjectNode claim, @Nullable ObjectNode old) {
    var errors = new ArrayList<>(ClaimSpecs.check(claim.path("spec"), SPEC));
    if (old != null) {
      changed(claim, old, errors);
    }
    return errors;
  }

  private static void changed(ObjectNode claim, ObjectNode old, List<FieldError> errors) {
    boolean bound = Trees.text(claim, "status", "phase").equals("Bound");
    boolean named = !Trees.text(old, "spec", "volumeName").isEmpty();
    if (!fixed(claim, old, bound, named).equals(fixed(old, old, bound, named))) {
      errors.add(
          forbidden(
              SPEC,
              "spec is immutable after creation except resources.requests and"
                  + " volumeAttributesClassName for bound claims\n"));
    }
    FieldPath storage = SPEC.field("resources").field("requests").field("storage");
    var now = amount(claim, "spec", "resources", "requests", "storage");
    boolean shrinks = now.compareTo(amount(old, "spec", "resources", "requests", "storage")) < 0;
    if (shrinks && now.compareTo(amount(old, "status", "capacity", "storage")) <= 0) {
      errors.add(forbidden(storage, "field can not be less than status.capacity"));
    }
    JsonNode mode = Trees.at(claim, "spec", "volumeMode");
    if (!Trees.same(mode, Trees.at(old, "spec", "volumeMode"))) {
      errors.add(invalid(FieldPath.of("volumeMode"), mode, "field is immutable"));
    }
  }

  private static BigDecimal amount(ObjectNode claim, String... path) {
    return Quantity.of(Trees.text(claim, path)).map(Quantity::amount).orElse(BigDecimal.ZERO);
  }

  /** What may not change; a claim that has no class yet may be given one. */
  private static ObjectNode fixed(ObjectNode claim, ObjectNode old, boolean bound, boolean named) {
    ObjectNode spec = Trees.child(claim.deepCopy(), "spec");
    if (bound) {
      Trees.object(spec, "resources")
          .flatMap(resources -> Trees.object(resources, "requests"))
          .ifPresent(requests -> requests.remove("storage"));
      spec.remove("volumeAttributesClassName");
    }
    if (!named) {
      spec.remove("volumeName"); // set once, when the claim is bound
    }
    if (!Trees.has(old, "spec", "storageClassName")) {
      spec.remove("storageClassName");
    }
    return spec;
  }

  /** The spec is not looked at. */
  @Override
  public List<FieldError> checkStatus(ObjectNode claim, ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    FieldPath states = FieldPath.of("status", "allocatedResourceStatuses");
    JsonNode wanted = Trees.at(claim, "status", "allocatedResourceStatuses");
    for (String resource : Trees.keys(wanted)) {
      known(resource, states, errors);
      if (!RESIZES.contains(Trees.text(wanted, resource))) {
        errors.add(notSupported(states, resource, RESIZES));
      }
    }
    FieldPath amounts = FieldPath.of("status", "allocatedResources");
    for (String resource : Trees.keys(Trees.at(claim, "status", "allocatedResources"))) {
      known(resource, amounts, errors);
    }
    return errors;
  }

  private static void known(String resource, FieldPath path, List<FieldError> errors) {
    if (!resource.contains("/") && !resource.equals("storage")) {
      errors.add(notSupported(path, resource, List.of("storage")));
    }
  }
}
