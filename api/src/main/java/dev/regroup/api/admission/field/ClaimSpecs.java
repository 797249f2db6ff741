package dev.regroup.api.admission.field;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Quantity;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;

/** Checks of the spec of a claim for a volume: an object of its own or a pod's template of one. */
public final class ClaimSpecs {

  private static final String ONE_POD = "ReadWriteOncePod";
  private static final List<String> MODES =
      List.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", ONE_POD);
  private static final List<String> VOLUME_MODES = List.of("Block", "Filesystem");

  private ClaimSpecs() {}

  /** Bytes do not come in parts. */
  public static List<String> warnings(JsonNode spec, FieldPath path) {
    String amount = Trees.text(spec, "resources", "requests", "storage");
    boolean fraction =
        Quantity.of(amount).filter(q -> q.amount().stripTrailingZeros().scale() > 0).isPresent();
    return fraction
        ? List.of(
            "%s: fractional byte value \"%s\" is invalid, must be an integer"
                .formatted(path.field("resources").field("requests").key("storage"), amount))
        : List.of();
  }

  public static List<FieldError> check(JsonNode spec, FieldPath path) {
    var errors = new ArrayList<FieldError>();
    var modes = Trees.texts(spec, "accessModes");
    FieldPath modesPath = path.field("accessModes");
    if (modes.isEmpty()) {
      errors.add(required(modesPath, "at least 1 access mode is required"));
    }
    Selectors.check(spec.path("selector"), path.field("selector"), errors);
    for (String mode : modes) {
      if (!MODES.contains(mode)) {
        errors.add(notSupported(modesPath, mode, MODES));
      }
    }
    boolean others = modes.stream().anyMatch(m -> MODES.contains(m) && !m.equals(ONE_POD));
    if (modes.contains(ONE_POD) && others) {
      errors.add(forbidden(modesPath, "may not use ReadWriteOncePod with other access modes"));
    }
    FieldPath storage = path.field("resources").key("storage");
    String amount = Trees.text(spec, "resources", "requests", "storage");
    if (amount.isEmpty()) {
      errors.add(required(storage, ""));
    } else if (Quantity.of(amount).filter(q -> q.amount().signum() > 0).isEmpty()) {
      errors.add(invalid(storage, amount, "must be greater than zero"));
    }
    for (String field : List.of("storageClassName", "volumeAttributesClassName")) {
      String name = Trees.text(spec, field);
      if (!name.isEmpty()) {
        NameRules.subdomain(name)
            .forEach(problem -> errors.add(invalid(path.field(field), name, problem)));
      }
    }
    var volumeMode = Trees.textIfPresent(spec, "volumeMode");
    if (volumeMode.isPresent() && !VOLUME_MODES.contains(volumeMode.get())) {
      errors.add(notSupported(path.field("volumeMode"), volumeMode.get(), VOLUME_MODES));
    }
    if (Trees.has(spec, "dataSource")
        && Trees.has(spec, "dataSourceRef")
        && !named(spec.path("dataSource")).equals(named(spec.path("dataSourceRef")))) {
      errors.add(invalid(path, Wire.object(), "must match dataSourceRef"));
    }
    return errors;
  }

  private static List<String> named(JsonNode source) {
    return List.of(
        Trees.text(source, "apiGroup"), Trees.text(source, "kind"), Trees.text(source, "name"));
  }
}
