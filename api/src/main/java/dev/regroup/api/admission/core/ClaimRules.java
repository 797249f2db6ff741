package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.FieldError.forbidden;
import static dev.regroup.api.admission.FieldError.invalid;
import static dev.regroup.api.admission.FieldError.notSupported;
import static dev.regroup.api.admission.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.FieldError;
import dev.regroup.api.admission.FieldPath;
import dev.regroup.api.admission.Trees;
import dev.regroup.api.schema.Quantity;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Claims for volumes. */
final class ClaimRules implements KindRules {

  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final String PROTECTION = "kubernetes.io/pvc-protection";
  private static final List<String> MODES =
      List.of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod");
  private static final List<String> VOLUME_MODES = List.of("Block", "Filesystem");

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

  @Override
  public List<FieldError> check(ObjectNode claim, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    JsonNode spec = claim.path("spec");
    var modes = Trees.texts(spec, "accessModes");
    if (modes.isEmpty()) {
      errors.add(required(SPEC.field("accessModes"), "at least 1 access mode is required"));
    }
    for (String mode : modes) {
      if (!MODES.contains(mode)) {
        errors.add(notSupported(SPEC.field("accessModes"), mode, MODES));
      }
    }
    FieldPath storage = SPEC.field("resources").key("storage");
    String amount = Trees.text(spec, "resources", "requests", "storage");
    if (amount.isEmpty()) {
      errors.add(required(storage, ""));
    } else if (Quantity.of(amount).filter(q -> q.amount().signum() > 0).isEmpty()) {
      errors.add(invalid(storage, amount, "must be greater than zero"));
    }
    String volumeMode = Trees.text(spec, "volumeMode");
    if (!VOLUME_MODES.contains(volumeMode)) {
      errors.add(notSupported(SPEC.field("volumeMode"), volumeMode, VOLUME_MODES));
    }
    if (old != null && !fixed(claim).equals(fixed(old))) {
      errors.add(
          forbidden(
              SPEC,
              "spec is immutable after creation except resources.requests and"
                  + " volumeAttributesClassName for bound claims\n"));
    }
    return errors;
  }

  private static ObjectNode fixed(ObjectNode claim) {
    ObjectNode spec = Trees.child(claim.deepCopy(), "spec");
    Trees.object(spec, "resources").ifPresent(resources -> resources.remove("requests"));
    spec.remove("volumeAttributesClassName");
    spec.remove("volumeName"); // set when the claim is bound
    return spec;
  }
}
