package dev.regroup.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Field;
import dev.regroup.api.schema.Schema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Whether an applied configuration is of its kind: what is wrong, with the words of Kubernetes. */
final class ConfigurationCheck {
  private final Schema schema;
  private final List<String> problems = new ArrayList<>();

  private ConfigurationCheck(Schema schema) {
    this.schema = schema;
  }

  static List<String> of(Schema schema, Definition definition, ObjectNode configuration) {
    var check = new ConfigurationCheck(schema);
    check.value(FieldShape.of(definition), configuration, "");
    return List.copyOf(check.problems);
  }

  private void value(FieldShape shape, JsonNode value, String path) {
    if (value.isNull()) {
      return;
    }
    switch (shape) {
      case FieldShape.Anything _, FieldShape.Free _ -> {}
      case FieldShape.Scalar scalar -> scalar(scalar, value, path);
      case FieldShape.Struct struct -> struct(struct, value, path);
      case FieldShape.Entries entries -> entries(entries.values(), value, path);
      case FieldShape.Items items -> items(items, value, path);
    }
  }

  private void scalar(FieldShape.Scalar scalar, JsonNode value, String path) {
    switch (scalar.type()) {
      case "string" -> {
        if (!value.isTextual()) {
          problem(path, "expected string, got " + printed(value));
        }
      }
      case "integer", "number" -> {
        if (!value.isNumber()) {
          problem(path, "expected numeric (int or float), got " + goType(value));
        }
      }
      case "boolean" -> {
        if (!value.isBoolean()) {
          problem(path, "expected boolean, got " + printed(value));
        }
      }
      default -> {
        if (value.isContainerNode()) {
          problem(path, "expected any scalar, got " + printed(value));
        }
      }
    }
  }

  private void struct(FieldShape.Struct struct, JsonNode value, String path) {
    if (!(value instanceof ObjectNode object)) {
      problem(path, "expected map, got " + printed(value));
      return;
    }
    for (var entry : object.properties()) {
      var at = path + "." + entry.getKey();
      struct
          .field(schema, entry.getKey())
          .ifPresentOrElse(
              shape -> value(shape, entry.getValue(), at),
              () -> problem(at, "field not declared in schema"));
    }
  }

  private void entries(Field values, JsonNode value, String path) {
    if (!(value instanceof ObjectNode object)) {
      problem(path, "expected map, got " + printed(value));
      return;
    }
    var shape = FieldShape.of(schema, values);
    object.forEachEntry((key, one) -> value(shape, one, path + "." + key));
  }

  private void items(FieldShape.Items shape, JsonNode list, String path) {
    if (!list.isArray()) {
      problem(path, "expected list, got " + printed(list));
      return;
    }
    var items = new ListItems(schema, shape);
    var seen = new HashSet<String>();
    for (int i = 0; i < list.size(); i++) {
      var item = list.path(i);
      var at = "[" + i + "]";
      if (!shape.isWhole()) {
        var unknown = items.problem(item);
        if (unknown.isPresent()) {
          problem(path, "element " + i + ": " + unknown.get());
          return;
        }
        at = PathElement.text(items.element(item));
        if (!seen.add(at)) {
          problem(path, "duplicate entries for key " + at);
        }
      }
      value(items.itemShape(), item, path + at);
    }
  }

  private void problem(String path, String text) {
    problems.add(path.isEmpty() ? text : path + ": " + text);
  }

  private static String printed(JsonNode value) {
    return value.isContainerNode()
        ? "&{" + goText(value) + "}"
        : "&value.valueUnstructured{Value:" + value + "}";
  }

  /** As Go prints maps and lists. */
  private static String goText(JsonNode value) {
    if (value.isObject()) {
      return value
          .propertyStream()
          .sorted(Map.Entry.comparingByKey())
          .map(field -> field.getKey() + ":" + goText(field.getValue()))
          .collect(Collectors.joining(" ", "map[", "]"));
    }
    return value.isArray()
        ? value
            .valueStream()
            .map(ConfigurationCheck::goText)
            .collect(Collectors.joining(" ", "[", "]"))
        : value.asText();
  }

  private static String goType(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> "string";
      case BOOLEAN -> "bool";
      case ARRAY -> "[]interface {}";
      case OBJECT, POJO -> "map[string]interface {}";
      case BINARY, MISSING, NULL, NUMBER -> "value";
    };
  }
}
