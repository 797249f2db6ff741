package dev.regroup.api.admission;

import com.fasterxml.jackson.databind.JsonNode;
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
}
