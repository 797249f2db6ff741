package dev.regroup.api.admission.custom;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Walks over the schemas of a definition as they stand in its tree. */
final class SchemaForm {
  private static final List<String> MAPS =
      List.of("properties", "patternProperties", "definitions", "dependencies");
  private static final List<String> OTHERS =
      List.of("items", "additionalProperties", "additionalItems", "not", "allOf", "anyOf", "oneOf");

  /** Plain values that Kubernetes does not write when they are false, 0 or empty. */
  private static final Set<String> PLAIN =
      Set.of(
          "id",
          "$schema",
          "description",
          "type",
          "format",
          "title",
          "exclusiveMaximum",
          "exclusiveMinimum",
          "pattern",
          "uniqueItems",
          "nullable",
          "x-kubernetes-embedded-resource",
          "x-kubernetes-int-or-string");

  private static final Set<String> PLAIN_OF_VERSIONS =
      Set.of("deprecated", "description", "format", "priority", "preserveUnknownFields");

  private SchemaForm() {}

  /** Calls for the schema and all inside of it, outer ones first. */
  static void visit(JsonNode schema, Consumer<ObjectNode> visitor) {
    if (schema instanceof ObjectNode object) {
      visitor.accept(object);
      for (String field : MAPS) {
        object.path(field).forEach(below -> visit(below, visitor));
      }
      for (String field : OTHERS) {
        visit(object.path(field), visitor);
      }
    } else if (schema.isArray()) {
      schema.forEach(below -> visit(below, visitor));
    }
  }

  /** Drops what says nothing, everywhere in the spec of a definition. */
  static void drop(ObjectNode spec) {
    dropZeros(spec, PLAIN_OF_VERSIONS);
    for (JsonNode version : spec.path("versions")) {
      if (version instanceof ObjectNode one) {
        dropZeros(one, PLAIN_OF_VERSIONS);
        for (JsonNode column : one.path("additionalPrinterColumns")) {
          dropZeros((ObjectNode) column, PLAIN_OF_VERSIONS);
        }
        visit(one.path("schema").path("openAPIV3Schema"), schema -> dropZeros(schema, PLAIN));
      }
    }
  }

  private static void dropZeros(ObjectNode object, Set<String> names) {
    var zeros =
        object
            .propertyStream()
            .filter(field -> names.contains(field.getKey()) && isZero(field.getValue()))
            .map(Map.Entry::getKey)
            .toList();
    object.remove(zeros);
  }

  private static boolean isZero(JsonNode value) {
    return (value.isBoolean() && !value.booleanValue())
        || (value.isTextual() && value.textValue().isEmpty())
        || (value.isInt() && value.intValue() == 0);
  }
}
