package dev.regroup.api.admission.field;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
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
    return errors;
  }
}
