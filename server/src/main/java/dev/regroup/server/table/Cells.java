package dev.regroup.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Cells and parts of cells that several tables have. */
final class Cells {
  static final String NONE = "<none>";

  private Cells() {}

  static TableView view(
      List<Column> columns, BiFunction<ObjectNode, Instant, List<@Nullable Object>> cells) {
    return new TableView() {
      @Override
      public List<Column> columns() {
        return columns;
      }

      @Override
      public List<@Nullable Object> cells(ObjectNode object, Instant now) {
        return cells.apply(object, now);
      }
    };
  }

  static String selector(JsonNode labels) {
    var sorted = new TreeMap<String, String>();
    labels.properties().forEach(label -> sorted.put(label.getKey(), label.getValue().asText()));
    var texts = new ArrayList<String>();
    sorted.forEach((key, value) -> texts.add(key + "=" + value));
    return texts.isEmpty() ? NONE : String.join(",", texts);
  }

  static String labelSelector(JsonNode selector) {
    var matched = selector(selector.path("matchLabels"));
    var texts = new ArrayList<String>();
    if (!matched.equals(NONE)) {
      texts.add(matched);
    }
    for (var expression : selector.path("matchExpressions")) {
      var values = new ArrayList<String>();
      expression.path("values").forEach(value -> values.add(value.asText()));
      var key = expression.path("key").asText();
      texts.add(
          switch (expression.path("operator").asText()) {
            case "Exists" -> key;
            case "DoesNotExist" -> "!" + key;
            case "NotIn" -> key + " notin (" + String.join(",", values) + ")";
            default -> key + " in (" + String.join(",", values) + ")";
          });
    }
    return texts.isEmpty() ? NONE : String.join(",", texts);
  }

  static @Nullable String conditionStatus(ObjectNode object, String type) {
    for (var condition : object.path("status").path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition.path("status").asText();
      }
    }
    return null;
  }

  static List<String> texts(JsonNode list, String field) {
    var texts = new ArrayList<String>();
    list.forEach(item -> texts.add(item.path(field).asText()));
    return texts;
  }

  static @Nullable String textOrNull(JsonNode node) {
    return node.isValueNode() && !node.isNull() ? node.asText() : null;
  }

  static String orUnknown(String text) {
    return text.isEmpty() ? "<unknown>" : text;
  }

  static String name(ObjectNode object) {
    return object.path("metadata").path("name").asText();
  }

  static String age(ObjectNode object, Instant now) {
    return Ages.since(stamp(object, "metadata", "creationTimestamp"), now);
  }

  static String stamp(ObjectNode object, String part, String field) {
    return object.path(part).path(field).asText("");
  }

  static List<@Nullable Object> row(@Nullable Object... cells) {
    var row = new ArrayList<@Nullable Object>();
    for (var cell : cells) {
      row.add(cell);
    }
    return row;
  }
}
