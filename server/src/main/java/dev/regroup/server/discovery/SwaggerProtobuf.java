package dev.regroup.server.discovery;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.protobuf.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * An OpenAPI v2 document as protobuf, the only form Go clients ask for. The numbers are those of
 * gnostic's {@code openapi.v2.Document}; values of any type are YAML texts there, and JSON is YAML.
 */
final class SwaggerProtobuf {
  /** What they call it when they ask, and when they are answered. */
  static final String ASKED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

  static final String ANSWERED = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

  private static final Map<String, Integer> METHODS =
      Map.of("get", 2, "put", 3, "post", 4, "delete", 5, "patch", 8);
  private static final Map<String, Integer> TEXTS =
      Map.of("$ref", 1, "format", 2, "title", 3, "description", 4, "pattern", 13);
  private static final Map<String, Integer> DOUBLES =
      Map.of("multipleOf", 6, "maximum", 7, "minimum", 9);
  private static final Map<String, Integer> NUMBERS =
      Map.ofEntries(
          Map.entry("exclusiveMaximum", 8),
          Map.entry("exclusiveMinimum", 10),
          Map.entry("maxLength", 11),
          Map.entry("minLength", 12),
          Map.entry("maxItems", 14),
          Map.entry("minItems", 15),
          Map.entry("uniqueItems", 16),
          Map.entry("maxProperties", 17),
          Map.entry("minProperties", 18));
  private static final int SCHEMA_EXTENSION = 31;
  private static final int OPERATION_EXTENSION = 13;

  private static final int EXPECTED = 1 << 20; // bytes

  private final List<Consumer<WireWriter>> fields = new ArrayList<>();

  private SwaggerProtobuf() {}

  static byte[] of(JsonNode document) {
    var message = new SwaggerProtobuf();
    message.text(1, document.path("swagger").asText());
    message.message(
        2,
        info -> {
          info.text(1, document.path("info").path("title").asText());
          info.text(2, document.path("info").path("version").asText());
        });
    message.message(8, paths -> paths.named(2, document.path("paths"), SwaggerProtobuf::path));
    message.message(9, all -> all.named(1, document.path("definitions"), SwaggerProtobuf::schema));
    var writer = new WireWriter(EXPECTED);
    message.writeTo(writer);
    return writer.toBytes();
  }

  private void path(JsonNode item) {
    item.properties()
        .forEach(entry -> {
          var number = METHODS.get(entry.getKey());
          if (number != null) {
            message(number, operation -> operation.operation(entry.getValue()));
          }
        });
  }

  private void operation(JsonNode operation) {
    for (var parameter : operation.path("parameters")) {
      message(8, item -> item.message(1, one -> one.message(2, in -> in.query(parameter))));
    }
    message(
        9,
        responses ->
            responses.named(
                1,
                operation.path("responses"),
                (value, given) ->
                    value.message(1, one -> one.text(1, given.path("description").asText()))));
    extensions(OPERATION_EXTENSION, operation);
  }

  /** A parameter that is no body, and there one of the query. */
  private void query(JsonNode parameter) {
    message(
        3,
        one -> {
          one.text(2, parameter.path("in").asText());
          one.text(4, parameter.path("name").asText());
          one.text(6, parameter.path("type").asText());
        });
  }

  private void schema(JsonNode schema) {
    schema.properties().forEach(entry -> word(entry.getKey(), entry.getValue()));
    extensions(SCHEMA_EXTENSION, schema);
  }

  private void word(String word, JsonNode value) {
    switch (word) {
      case "default" -> message(5, any -> any.any(value));
      case "required" -> value.forEach(name -> text(19, name.asText()));
      case "enum" -> value.forEach(one -> message(20, any -> any.any(one)));
      case "additionalProperties" ->
          message(21, either -> either.message(1, one -> one.schema(value)));
      case "type" -> message(22, type -> type.text(1, value.asText()));
      case "items" -> message(23, items -> items.message(1, one -> one.schema(value)));
      case "properties" -> message(25, all -> all.named(1, value, SwaggerProtobuf::schema));
      default -> simple(word, value);
    }
  }

  private void simple(String word, JsonNode value) {
    if (TEXTS.containsKey(word)) {
      text(TEXTS.get(word), value.asText());
    } else if (DOUBLES.containsKey(word)) {
      long bits = Double.doubleToLongBits(value.asDouble());
      fields.add(writer -> {
        writer.fixed64(bits);
        writer.tag(DOUBLES.get(word), 1);
      });
    } else if (NUMBERS.containsKey(word)) {
      long number = value.isBoolean() ? (value.asBoolean() ? 1 : 0) : value.asLong();
      fields.add(writer -> {
        writer.varint(number);
        writer.tag(NUMBERS.get(word), 0);
      });
    }
  }

  private void extensions(int number, JsonNode given) {
    given
        .properties()
        .forEach(entry -> {
          if (entry.getKey().startsWith("x-")) {
            message(
                number,
                named -> {
                  named.text(1, entry.getKey());
                  named.message(2, any -> any.any(entry.getValue()));
                });
          }
        });
  }

  private void any(JsonNode value) {
    fields.add(writer -> writer.bytes(2, Wire.write(value)));
  }

  /** What fills a message from a part of the document. */
  private interface Filler {
    void fill(SwaggerProtobuf message, JsonNode part);
  }

  /** Each entry as a message of name and value. */
  private void named(int number, JsonNode entries, Filler filler) {
    entries
        .properties()
        .forEach(entry ->
            message(
                number,
                named -> {
                  named.text(1, entry.getKey());
                  named.message(2, value -> filler.fill(value, entry.getValue()));
                }));
  }

  private void message(int number, Consumer<SwaggerProtobuf> filler) {
    var below = new SwaggerProtobuf();
    filler.accept(below);
    fields.add(writer -> {
      int before = writer.size();
      below.writeTo(writer);
      writer.message(number, before);
    });
  }

  private void text(int number, String text) {
    fields.add(writer -> writer.text(number, text));
  }

  /** The writer goes from the end to the beginning. */
  private void writeTo(WireWriter writer) {
    fields.reversed().forEach(field -> field.accept(writer));
  }
}
