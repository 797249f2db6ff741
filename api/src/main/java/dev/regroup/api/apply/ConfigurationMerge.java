package dev.regroup.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Schema;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A configuration laid over an object: what it says wins, what it does not mention stays. */
final class ConfigurationMerge {
  private final Schema schema;

  private ConfigurationMerge(Schema schema) {
    this.schema = schema;
  }

  /** A new tree; the given ones are not changed. */
  static ObjectNode of(
      Schema schema, Definition definition, ObjectNode live, ObjectNode configuration) {
    return (ObjectNode)
        new ConfigurationMerge(schema).merge(FieldShape.of(definition), live, configuration);
  }

  private JsonNode merge(FieldShape shape, @Nullable JsonNode live, JsonNode wanted) {
    if (live == null || shape.isWhole()) {
      return wanted.deepCopy();
    }
    return switch (shape) {
      case FieldShape.Scalar _, FieldShape.Anything _ -> wanted.deepCopy();
      case FieldShape.Struct struct -> {
        if (!(live instanceof ObjectNode from)) {
          yield wanted.deepCopy();
        }
        ObjectNode merged = from.deepCopy();
        for (var entry : wanted.properties()) {
          struct
              .field(schema, entry.getKey())
              .ifPresent(field ->
                  merged.set(
                      entry.getKey(), merge(field, from.get(entry.getKey()), entry.getValue())));
        }
        yield merged;
      }
      case FieldShape.Entries entries ->
          entries(FieldShape.of(schema, entries.values()), live, wanted);
      case FieldShape.Free free -> entries(free, live, wanted);
      case FieldShape.Items items ->
          live instanceof ArrayNode from
              ? list(new ListItems(schema, items), from, wanted)
              : wanted.deepCopy();
    };
  }

  private JsonNode entries(FieldShape values, JsonNode live, JsonNode wanted) {
    if (!(live instanceof ObjectNode from) || !wanted.isObject()) {
      return wanted.isNull() ? live : wanted.deepCopy();
    }
    ObjectNode merged = from.deepCopy();
    for (var entry : wanted.properties()) {
      merged.set(entry.getKey(), merge(values, from.get(entry.getKey()), entry.getValue()));
    }
    return merged;
  }

  /**
   * Items of the configuration come in its order; items that only the object has stay where they
   * are, before what both have and before what only the configuration has.
   */
  private ArrayNode list(ListItems items, ArrayNode live, JsonNode wanted) {
    var old = items.byElement(live);
    var now = items.byElement(wanted);
    var left = new ArrayDeque<>(old.keySet());
    var shared = new ArrayDeque<>(now.keySet());
    shared.removeIf(element -> !old.containsKey(element));
    ArrayNode merged = JsonNodeFactory.instance.arrayNode();
    now.forEach((element, found) -> {
      var next = shared.peekFirst();
      while (!left.isEmpty()) {
        var first = left.getFirst();
        if (!now.containsKey(first)) {
          old.getOrDefault(left.removeFirst(), List.of()).forEach(merged::add);
        } else if (first.equals(next) && !first.equals(element)) {
          break; // its turn comes later
        } else {
          left.removeFirst();
          if (next == null || first.equals(element)) {
            break;
          }
        }
      }
      if (element.equals(next)) {
        shared.removeFirst();
      }
      var before = old.get(element);
      merged.add(
          merge(items.itemShape(), before == null ? null : before.getFirst(), found.getLast()));
    });
    for (var rest : left) {
      if (!now.containsKey(rest)) {
        old.getOrDefault(rest, List.of()).forEach(merged::add);
      }
    }
    return merged;
  }
}
