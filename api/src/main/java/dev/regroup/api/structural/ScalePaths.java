package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where an object keeps what its {@code scale} shows.
 *
 * @param selector empty when there is none
 */
public record ScalePaths(String replicas, String ready, String selector) {

  static ScalePaths of(JsonNode scale) {
    return new ScalePaths(
        Trees.text(scale, "specReplicasPath"),
        Trees.text(scale, "statusReplicasPath"),
        Trees.text(scale, "labelSelectorPath"));
  }

  /** The value at a path, or null when nothing is there. */
  public static @Nullable JsonNode at(ObjectNode object, String path) {
    JsonNode node = object;
    for (String step : steps(path)) {
      node = node.path(step);
    }
    return node.isMissingNode() || node.isNull() ? null : node;
  }

  /** Sets how many replicas are wanted. */
  public void scale(ObjectNode object, int wanted) {
    var steps = steps(replicas);
    var node = object;
    for (String step : steps.subList(0, steps.size() - 1)) {
      node = Trees.child(node, step);
    }
    node.put(steps.getLast(), wanted);
  }

  private static List<String> steps(String path) {
    return List.of((path.startsWith(".") ? path.substring(1) : path).split("\\.", -1));
  }

  public List<FieldError> checkSpec(ObjectNode object) {
    return count(object, replicas);
  }

  public List<FieldError> checkStatus(ObjectNode object) {
    var errors = new ArrayList<>(count(object, ready));
    var labels = selector.isEmpty() ? null : at(object, selector);
    if (labels != null && !labels.isTextual()) {
      errors.add(FieldError.invalid(FieldPath.of(selector), "", wrong(selector, labels, "string")));
    }
    return errors;
  }

  private static List<FieldError> count(ObjectNode object, String path) {
    var value = at(object, path);
    var at = FieldPath.of(path);
    if (value == null) {
      return List.of();
    }
    if (!value.isIntegralNumber()) {
      return List.of(FieldError.invalid(at, 0, wrong(path, value, "int64")));
    }
    if (value.longValue() < 0) {
      return List.of(FieldError.invalid(at, value, "should be a non-negative integer"));
    }
    return value.longValue() > Integer.MAX_VALUE
        ? List.of(
            FieldError.invalid(at, value, "should be less than or equal to " + Integer.MAX_VALUE))
        : List.of();
  }

  private static String wrong(String path, JsonNode value, String wanted) {
    var type =
        switch (SchemaValidation.typeOf(value)) {
          case "boolean" -> "bool";
          case "integer" -> "int64";
          case "number" -> "float64";
          case "array" -> "[]interface {}";
          case "object" -> "map[string]interface {}";
          default -> "string";
        };
    return "%s accessor error: %s is of the type %s, expected %s"
        .formatted(path, value.asText(), type, wanted);
  }
}
