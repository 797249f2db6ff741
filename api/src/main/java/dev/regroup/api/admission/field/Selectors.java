package dev.regroup.api.admission.field;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Whether labels satisfy a label selector of the wire. */
public final class Selectors {

  private Selectors() {}

  public static Map<String, String> map(JsonNode labels) {
    var map = new LinkedHashMap<String, String>();
    Trees.keys(labels).forEach(key -> map.put(key, Trees.text(labels, key)));
    return map;
  }

  /** A selector that is absent matches nothing, an empty one everything. */
  public static boolean matches(JsonNode selector, Map<String, String> labels) {
    if (!selector.isObject()) {
      return false;
    }
    for (Map.Entry<String, String> wanted : map(selector.path("matchLabels")).entrySet()) {
      if (!wanted.getValue().equals(labels.get(wanted.getKey()))) {
        return false;
      }
    }
    for (JsonNode expression : selector.path("matchExpressions")) {
      if (!holds(expression, labels)) {
        return false;
      }
    }
    return true;
  }

  private static boolean holds(JsonNode expression, Map<String, String> labels) {
    String value = labels.get(Trees.text(expression, "key"));
    List<String> values = Trees.texts(expression, "values");
    return switch (Trees.text(expression, "operator")) {
      case "In" -> value != null && values.contains(value);
      case "NotIn" -> value == null || !values.contains(value);
      case "Exists" -> value != null;
      case "DoesNotExist" -> value == null;
      default -> false;
    };
  }

  /** Checks of a label selector, wherever it stands. */
  public static void check(JsonNode selector, FieldPath path, List<FieldError> errors) {
    errors.addAll(Metadata.labels(path.field("matchLabels"), selector.path("matchLabels")));
    var expressions = Trees.objects(selector, "matchExpressions");
    for (int i = 0; i < expressions.size(); i++) {
      FieldPath at = path.field("matchExpressions").index(i);
      JsonNode expression = expressions.get(i);
      int values = expression.path("values").size();
      String operator = Trees.text(expression, "operator");
      switch (operator) {
        case "In", "NotIn" -> {
          if (values == 0) {
            errors.add(
                FieldError.required(
                    at.field("values"), "must be specified when `operator` is 'In' or 'NotIn'"));
          }
        }
        case "Exists", "DoesNotExist" -> {
          if (values > 0) {
            errors.add(
                FieldError.forbidden(
                    at.field("values"),
                    "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
          }
        }
        default ->
            errors.add(
                FieldError.invalid(
                    at.field("operator"), operator, "not a valid selector operator"));
      }
      String key = Trees.text(expression, "key");
      NameRules.qualified(key)
          .forEach(problem -> errors.add(FieldError.invalid(at.field("key"), key, problem)));
      var texts = Trees.texts(expression, "values");
      for (int j = 0; j < texts.size(); j++) {
        String value = texts.get(j);
        FieldPath valueAt = at.field("values").index(j);
        NameRules.labelValue(value)
            .forEach(problem -> errors.add(FieldError.invalid(valueAt, value, problem)));
      }
    }
  }
}
