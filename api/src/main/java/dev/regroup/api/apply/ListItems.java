package dev.regroup.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The items of a list by what tells them apart: their keys, or their value. */
final class ListItems {
  private final Schema schema;
  private final FieldShape.Items shape;

  ListItems(Schema schema, FieldShape.Items shape) {
    this.schema = schema;
    this.shape = shape;
  }

  FieldShape itemShape() {
    return FieldShape.of(schema, shape.item());
  }

  /** All items in order; more than one under the same element where a list breaks its rule. */
  Map<String, List<JsonNode>> byElement(@Nullable JsonNode list) {
    var found = new LinkedHashMap<String, List<JsonNode>>();
    if (list != null && list.isArray()) {
      list.forEach(item -> found.computeIfAbsent(element(item), _ -> new ArrayList<>(1)).add(item));
    }
    return found;
  }

  /** What the item is known by; a key it leaves out counts with its default. */
  String element(JsonNode item) {
    if (shape.keys().isEmpty()) {
      return PathElement.value(item);
    }
    var keys = new TreeMap<String, JsonNode>();
    for (var key : shape.keys()) {
      var value = key(item, key);
      if (value != null) {
        keys.put(key, value);
      }
    }
    return PathElement.keys(keys);
  }

  private @Nullable JsonNode key(JsonNode item, String key) {
    var value = item.get(key);
    return value == null || value.isNull()
        ? FieldShape.keyDefault(schema, shape.item(), key)
        : value;
  }

  /** Why the item cannot be told apart from others. */
  Optional<String> problem(JsonNode item) {
    if (shape.keys().isEmpty()) {
      if (item.isNull()) {
        return Optional.of("associative list without keys has an element that's an explicit null");
      }
      if (item.isContainerNode()) {
        return Optional.of(
            "associative list without keys has an element that's a %s type"
                .formatted(item.isObject() ? "map" : "list"));
      }
      return Optional.empty();
    }
    if (item.isNull()) {
      return Optional.of("associative list with keys may not have a null element");
    }
    if (!(item instanceof ObjectNode)) {
      return Optional.of("associative list with keys may not have non-map elements");
    }
    boolean named = shape.keys().stream().anyMatch(key -> key(item, key) != null);
    return named
        ? Optional.empty()
        : Optional.of(
            "associative list with keys has an element that omits all key fields [%s] (and doesn't have default values for any key fields)"
                .formatted(
                    shape.keys().stream()
                        .map(key -> '"' + key + '"')
                        .collect(Collectors.joining(" "))));
  }
}
