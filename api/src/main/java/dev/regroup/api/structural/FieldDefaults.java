package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Fills in what a schema has a default for and an object does not say. */
public final class FieldDefaults {

  private FieldDefaults() {}

  /** Fills a value in place; defaults inside of a default are filled in, too. */
  public static void fill(JsonNode value, @Nullable Structural schema) {
    if (schema == null) {
      return;
    }
    if (value instanceof ObjectNode object) {
      fillObject(object, schema);
    } else if (value instanceof ArrayNode array && schema.items() != null) {
      for (int i = 0; i < array.size(); i++) {
        var fallback = schema.items().fallback();
        if (isMissing(array.path(i), schema.items()) && fallback != null) {
          array.set(i, fallback.deepCopy());
        }
        fill(array.path(i), schema.items());
      }
    }
  }

  private static void fillObject(ObjectNode object, Structural schema) {
    for (Map.Entry<String, Structural> entry : schema.properties().entrySet()) {
      var fallback = entry.getValue().fallback();
      if (fallback == null) {
        continue;
      }
      var there = object.get(entry.getKey());
      if (there == null || isMissing(there, entry.getValue())) {
        object.set(entry.getKey(), fallback.deepCopy());
      }
    }
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      var below = schema.at(field.getKey()).orElse(null);
      if (below == null) {
        continue;
      }
      var fallback = below.fallback();
      if (isMissing(field.getValue(), below) && fallback != null) {
        field.setValue(fallback.deepCopy());
      }
      fill(field.getValue(), below);
    }
  }

  private static boolean isMissing(JsonNode value, Structural schema) {
    return value.isNull() && !schema.nullable();
  }
}
