package dev.regroup.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Schema;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Parts of one rich object, by chance, with other values by chance; nothing in them is empty. */
final class RandomConfigurations {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final Schema schema;
  private final RandomGenerator random;

  RandomConfigurations(Schema schema, RandomGenerator random) {
    this.schema = schema;
    this.random = random;
  }

  ObjectNode of(Definition definition, ObjectNode rich) {
    var part = part(FieldShape.of(definition), rich, List.of("apiVersion", "kind"));
    return part instanceof ObjectNode object
        ? object
        : JSON.objectNode()
            .<ObjectNode>set("apiVersion", rich.get("apiVersion"))
            .set("kind", rich.get("kind"));
  }

  /** Null when nothing is left. */
  private @Nullable JsonNode part(FieldShape shape, JsonNode rich, List<String> always) {
    return switch (shape) {
      case FieldShape.Scalar _, FieldShape.Anything _, FieldShape.Free _ -> other(rich);
      case FieldShape.Struct struct when struct.isWhole() -> rich.deepCopy();
      case FieldShape.Struct struct -> {
        ObjectNode part = JSON.objectNode();
        for (var entry : rich.properties()) {
          if (always.contains(entry.getKey())) {
            part.set(entry.getKey(), entry.getValue());
          } else if (random.nextInt(3) > 0) {
            var field = struct.field(schema, entry.getKey()).orElseThrow();
            var value = part(field, entry.getValue(), List.of());
            if (value != null) {
              part.set(entry.getKey(), value);
            }
          }
        }
        yield part.isEmpty() ? null : part;
      }
      case FieldShape.Entries entries -> {
        ObjectNode part = JSON.objectNode();
        var values = FieldShape.of(schema, entries.values());
        for (var entry : rich.properties()) {
          if (random.nextBoolean()) {
            part.set(entry.getKey(), part(values, entry.getValue(), List.of()));
          }
        }
        yield part.isEmpty() ? null : part;
      }
      case FieldShape.Items list -> {
        ArrayNode part = JSON.arrayNode();
        boolean turned = random.nextInt(4) == 0;
        for (int i = 0; i < rich.size(); i++) {
          if (random.nextInt(3) > 0) {
            var from = rich.path(turned ? rich.size() - 1 - i : i);
            var item =
                list.keys().isEmpty()
                    ? from.deepCopy()
                    : part(FieldShape.of(schema, list.item()), from, list.keys());
            part.add(item);
          }
        }
        yield part.isEmpty() ? null : part;
      }
    };
  }

  private JsonNode other(JsonNode value) {
    if (random.nextInt(8) > 0) {
      return value;
    }
    return switch (value.getNodeType()) {
      case STRING -> JSON.textNode(value.textValue() + random.nextInt(3));
      case NUMBER -> JSON.numberNode(value.intValue() + random.nextInt(3));
      case BOOLEAN -> JSON.booleanNode(random.nextBoolean());
      case ARRAY, BINARY, MISSING, NULL, OBJECT, POJO -> value;
    };
  }
}
