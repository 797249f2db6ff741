package dev.regroup.api.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Field;
import dev.regroup.api.schema.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Just enough of merge and strategic merge patches to replay recorded changes. */
final class Patches {

  private final Schema schema;

  Patches(Schema schema) {
    this.schema = schema;
  }

  static void merge(ObjectNode target, JsonNode patch) {
    for (var entry : patch.properties()) {
      JsonNode value = entry.getValue();
      if (value.isNull()) {
        target.remove(entry.getKey());
      } else if (value.isObject()) {
        ObjectNode child =
            target.get(entry.getKey()) instanceof ObjectNode object
                ? object
                : target.putObject(entry.getKey());
        merge(child, value);
      } else {
        target.set(entry.getKey(), value.deepCopy());
      }
    }
  }

  void strategic(ObjectNode target, JsonNode patch, @Nullable Definition definition) {
    for (var entry : patch.properties()) {
      String name = entry.getKey();
      JsonNode value = entry.getValue();
      Field field = definition == null ? null : definition.fields().get(name);
      if (value.isNull()) {
        target.remove(name);
      } else if (value.isObject()) {
        ObjectNode child =
            target.get(name) instanceof ObjectNode object ? object : target.putObject(name);
        strategic(child, value, struct(field));
      } else if (field != null && value.isArray() && field.mergesOnPatch()) {
        ArrayNode list =
            target.get(name) instanceof ArrayNode array ? array : target.putArray(name);
        items(list, value, field);
      } else {
        target.set(name, value.deepCopy());
      }
    }
  }

  private @Nullable Definition struct(@Nullable Field field) {
    return field == null || field.ref() == null ? null : schema.definition(field.ref());
  }

  private void items(ArrayNode list, JsonNode patch, Field field) {
    String key = field.patchMergeKey();
    for (JsonNode item : patch) {
      ObjectNode same = key == null ? null : find(list, item, key);
      if (same != null) {
        strategic(same, item, struct(field.items()));
      } else if (!List.copyOf(list.valueStream().toList()).contains(item)) {
        list.add(item.deepCopy());
      }
    }
  }

  private static @Nullable ObjectNode find(ArrayNode list, JsonNode item, String key) {
    for (JsonNode existing : list) {
      if (existing instanceof ObjectNode object && object.path(key).equals(item.path(key))) {
        return object;
      }
    }
    return null;
  }
}
