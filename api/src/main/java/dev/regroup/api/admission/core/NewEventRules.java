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

  /** A field, and how a complaint calls it. */
  private record Named(String field, String shown) {
    static Named same(String field) {
      return new Named(field, field);
    }
  }

  private static final List<Named> UNSET =
      List.of(
          new Named("deprecatedFirstTimestamp", "firstTimestamp"),
          new Named("deprecatedLastTimestamp", "lastTimestamp"),
          new Named("deprecatedCount", "count"));
  private static final List<Named> FIXED =
      List.of(
          new Named("regarding", "involvedObject"),
          Named.same("reason"),
          new Named("note", "message"),
          new Named("deprecatedSource", "source"),
          UNSET.get(0),
          UNSET.get(1),
          UNSET.get(2),
          Named.same("reason"), // Kubernetes looks at it twice
          Named.same("type"),
          Named.same("eventTime"),
          Named.same("action"),
          Named.same("related"),
          Named.same("reportingController"),
          Named.same("reportingInstance"));

  @Override
  public void fill(ObjectNode event) {
    Trees.child(event, "deprecatedSource");
  }

  @Override
  public List<FieldError> check(ObjectNode event, @Nullable ObjectNode old) {
    var errors =
        new ArrayList<>(EventRules.shared(event, "regarding", "reportingController", "note"));
    if (old != null) {
      if (!Trees.same(event.path("series"), old.path("series"))) {
        series(event, errors);
      }
      for (Named fixed : FIXED) {
        JsonNode value = event.path(fixed.field());
        if (!Trees.same(value, old.path(fixed.field()))) {
          errors.add(
              invalid(
                  FieldPath.of(fixed.shown()),
                  value.isMissingNode() ? null : FieldError.internal(value),
                  "field is immutable"));
        }
      }
      return errors;
    }
    series(event, errors);
    if (!Trees.has(event, "eventTime")) {
      errors.add(required(FieldPath.of("eventTime"), ""));
    }
    String type = Trees.text(event, "type");
    if (!List.of("Normal", "Warning").contains(type)) {
      errors.add(invalid(FieldPath.of("type"), "", "has invalid value: " + type));
    }
    for (Named unset : UNSET) {
      if (Trees.has(event, unset.field()) && Trees.number(event, unset.field()).orElse(1) != 0) {
        errors.add(invalid(FieldPath.of(unset.shown()), "", "needs to be unset"));
      }
    }
    boolean source =
        List.of("component", "host").stream()
            .anyMatch(part -> !Trees.text(event, "deprecatedSource", part).isEmpty());
    if (source) {
      errors.add(invalid(FieldPath.of("source"), "", "needs to be unset"));
    }
    return errors;
  }

  private static void series(ObjectNode event, List<FieldError> errors) {
    if (!Trees.has(event, "series")) {
      return;
    }
    JsonNode series = event.path("series");
    if (Trees.number(series, "count").orElse(0) < 2) {
      errors.add(invalid(FieldPath.of("series.count"), "", "should be at least 2"));
    }
    if (!Trees.has(series, "lastObservedTime")) {
      errors.add(required(FieldPath.of("series.lastObservedTime"), ""));
    }
  }
}
