package dev.regroup.api.protobuf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Field;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import java.util.List;
import java.util.random.RandomGenerator;

/** Objects of any kind with fields by chance, as the schema allows them. */
final class RandomTrees {

  private static final int DEEPEST = 9;
  private static final List<String> WORDS = List.of("a", "b-1", "größe", "x/y", "Always", "");
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final Schema schema;
  private final RandomGenerator random;

  RandomTrees(Schema schema, RandomGenerator random) {
    this.schema = schema;
    this.random = random;
  }

  ObjectNode of(GroupVersionKind kind) {
    ObjectNode tree = struct(schema.kind(kind).orElseThrow(), 0);
    return tree.put("apiVersion", kind.apiVersion()).put("kind", kind.kind());
  }

  private ObjectNode struct(Definition definition, int depth) {
    ObjectNode tree = JSON.objectNode();
    boolean isKind = !definition.kinds().isEmpty();
    definition
        .fields()
        .forEach((name, field) -> {
          boolean always = depth == 0 || definition.required().contains(name);
          boolean type = isKind && (name.equals("kind") || name.equals("apiVersion"));
          if (!type && (always || (depth < DEEPEST && random.nextInt(3) == 0))) {
            tree.set(name, value(field, depth + 1));
          }
        });
    return tree;
  }

  private JsonNode value(Field field, int depth) {
    if (field.ref() != null) {
      return reference(field.ref(), depth);
    }
    if (field.items() != null) {
      var list = JSON.arrayNode();
      for (int left = depth < DEEPEST ? 1 + random.nextInt(2) : 0; left > 0; left--) {
        list.add(value(field.items(), depth + 1));
      }
      return list;
    }
    if (field.values() != null) {
      ObjectNode map = JSON.objectNode();
      for (int left = depth < DEEPEST ? 1 + random.nextInt(2) : 0; left > 0; left--) {
        map.set("k" + left, value(field.values(), depth + 1));
      }
      return map;
    }
    return switch (field.type()) {
      case "string" -> "byte".equals(field.format()) ? JSON.textNode("AAEC/w==") : word();
      case "boolean" -> JSON.booleanNode(random.nextBoolean());
      case "integer" -> JSON.numberNode(random.nextInt(-3, 1000));
      case "number" -> JSON.numberNode(random.nextInt(-3, 1000));
      case null, default -> JSON.objectNode().put("any", "thing");
    };
  }

  private JsonNode reference(String name, int depth) {
    Definition definition = schema.definition(name);
    if (definition.isStruct()) {
      return struct(definition, depth);
    }
    return switch (name.substring(name.lastIndexOf('.') + 1)) {
      case "Quantity" -> JSON.textNode(random.nextInt(1, 900) + "m");
      case "IntOrString" -> random.nextBoolean() ? JSON.numberNode(random.nextInt(99)) : word();
      case "Time" -> JSON.textNode("2026-01-02T03:04:%02dZ".formatted(random.nextInt(60)));
      case "MicroTime" -> JSON.textNode("2026-01-02T03:04:05.%06dZ".formatted(random.nextInt(99)));
      case "JSONSchemaPropsOrBool" -> JSON.booleanNode(random.nextBoolean());
      case "JSONSchemaPropsOrStringArray" -> JSON.arrayNode().add("a");
      case "CustomResourceSubresourceStatus" -> JSON.objectNode();
      default -> JSON.objectNode().put("type", "thing");
    };
  }

  private JsonNode word() {
    return JSON.textNode(WORDS.get(random.nextInt(WORDS.size())));
  }
}
