package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.forbidden;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.ClaimSpecs;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Claims for volumes. */
final class ClaimRules implements KindRules {

  private static final FieldPath SPEC = FieldPath.of("spec");
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

  @Override
  public List<FieldError> check(ObjectNode claim, @Nullable ObjectNode old) {
    var errors = new ArrayList<>(ClaimSpecs.check(claim.path("spec"), SPEC));
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
