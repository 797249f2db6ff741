package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Leases: their numbers. */
final class LeaseRules implements KindRules {

  @Override
  public void fill(ObjectNode lease) {
    ObjectNode spec = Trees.child(lease, "spec");
    spec.remove(List.of("strategy", "preferredHolder")); // their gate is off
  }

  @Override
  public List<FieldError> check(ObjectNode lease, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    var duration = Trees.number(lease, "spec", "leaseDurationSeconds");
    if (duration.isPresent() && duration.getAsLong() <= 0) {
      errors.add(
          invalid(
              FieldPath.of("spec", "leaseDurationSeconds"),
              duration.getAsLong(),
              "must be greater than 0"));
    }
    var transitions = Trees.number(lease, "spec", "leaseTransitions");
    if (transitions.isPresent() && transitions.getAsLong() < 0) {
      errors.add(
          invalid(
              FieldPath.of("spec", "leaseTransitions"),
              transitions.getAsLong(),
              "must be greater than or equal to 0"));
    }
    return errors;
  }
}
