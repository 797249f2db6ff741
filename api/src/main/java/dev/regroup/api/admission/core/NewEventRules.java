package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Events of {@code events.k8s.io}: complete, and fixed but for their series. */
final class NewEventRules implements KindRules {

  private static final List<String> FIXED =
      List.of(
          "reason",
          "eventTime",
          "type",
          "action",
          "reportingController",
          "reportingInstance",
          "regarding",
          "related",
          "note");

  @Override
  public void fill(ObjectNode event) {
    Trees.child(event, "deprecatedSource");
  }

  @Override
  public List<FieldError> check(ObjectNode event, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    if (old != null) {
      for (String field : FIXED) {
        JsonNode value = event.path(field);
        if (!Trees.same(value, old.path(field))) {
          errors.add(
              invalid(
                  FieldPath.of(field), value.isMissingNode() ? null : value, "field is immutable"));
        }
      }
      errors.addAll(List.copyOf(errors)); // Kubernetes checks a change twice
      return errors;
    }
    if (!Trees.has(event, "eventTime")) {
      errors.add(required(FieldPath.of("eventTime"), ""));
    }
    String type = Trees.text(event, "type");
    if (!List.of("Normal", "Warning").contains(type)) {
      errors.add(invalid(FieldPath.of("type"), "", "has invalid value: " + type));
    }
    return errors;
  }
}
