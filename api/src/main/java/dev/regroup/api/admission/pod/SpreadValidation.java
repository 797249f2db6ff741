package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Selectors;
import dev.regroup.api.tree.Trees;
import java.util.List;

/** Checks of {@code topologySpreadConstraints}. */
final class SpreadValidation {

  private static final List<String> ACTIONS = List.of("DoNotSchedule", "ScheduleAnyway");
  private static final List<String> NODE_POLICIES = List.of("Honor", "Ignore");

  private final List<FieldError> errors;

  SpreadValidation(List<FieldError> errors) {
    this.errors = errors;
  }

  void constraints(JsonNode spec, FieldPath specPath) {
    var constraints = Trees.objects(spec, "topologySpreadConstraints");
    for (int i = 0; i < constraints.size(); i++) {
      FieldPath path = specPath.field("topologySpreadConstraints").index(i);
      constraint(constraints.get(i), constraints.subList(i + 1, constraints.size()), path);
    }
  }

  private void constraint(ObjectNode constraint, List<ObjectNode> later, FieldPath path) {
    positive(constraint, "maxSkew", path);
    if (Trees.text(constraint, "topologyKey").isEmpty()) {
      errors.add(required(path.field("topologyKey"), "can not be empty"));
    }
    String action = Trees.text(constraint, "whenUnsatisfiable");
    if (!ACTIONS.contains(action)) {
      errors.add(notSupported(path.field("whenUnsatisfiable"), action, ACTIONS));
    }
    String kind = kind(constraint);
    if (later.stream().anyMatch(other -> kind(other).equals(kind))) {
      errors.add(duplicate(path.field("{topologyKey, whenUnsatisfiable}"), kind));
    }
    if (Trees.has(constraint, "minDomains")) {
      positive(constraint, "minDomains", path);
      if (!action.equals("DoNotSchedule")) {
        errors.add(
            invalid(
                path.field("minDomains"),
                constraint.path("minDomains"),
                "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " + action));
      }
    }
    for (String policy : List.of("nodeAffinityPolicy", "nodeTaintsPolicy")) {
      var value = Trees.textIfPresent(constraint, policy);
      if (value.isPresent() && !NODE_POLICIES.contains(value.get())) {
        errors.add(notSupported(path.field(policy), value.get(), NODE_POLICIES));
      }
    }
    new SchedulingValidation(errors).labelKeys(constraint, path);
    Selectors.check(constraint.path("labelSelector"), path.field("labelSelector"), errors);
  }

  private static String kind(ObjectNode constraint) {
    return "{%s, %s}"
        .formatted(
            Trees.text(constraint, "topologyKey"), Trees.text(constraint, "whenUnsatisfiable"));
  }

  private void positive(ObjectNode constraint, String field, FieldPath path) {
    long value = Trees.number(constraint, field).orElse(0);
    if (value <= 0) {
      errors.add(invalid(path.field(field), value, "must be greater than zero"));
    }
  }
}
