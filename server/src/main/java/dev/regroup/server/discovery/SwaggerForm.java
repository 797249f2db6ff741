package dev.regroup.server.discovery;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import java.util.List;
import java.util.Set;

/**
 * The older form of the same documents, OpenAPI v2: one for all groups. Clients ask for it when a
 * kind is in none of the newer ones, to say which kind they miss; some know no other. What the old
 * language has no words for ({@code oneOf}, {@code nullable}) is left out, as Kubernetes does.
 *
 * <p>kubectl takes fields that are listed for all there are, and a type for a promise: where more
 * fields may be than those listed, none is, and where null may be, no type is.
 */
final class SwaggerForm {
  private static final String NEW = "#/components/schemas/";
  private static final String OLD = "#/definitions/";
  private static final String KINDS = "x-kubernetes-group-version-kind";

  /** What a schema of the older form may say beside extensions. */
  private static final Set<String> WORDS =
      Set.of(
          "format",
          "title",
          "description",
          "default",
          "multipleOf",
          "maximum",
          "exclusiveMaximum",
          "minimum",
          "exclusiveMinimum",
          "maxLength",
          "minLength",
          "pattern",
          "maxItems",
          "minItems",
          "uniqueItems",
          "maxProperties",
          "minProperties",
          "required",
          "enum",
          "type");

  private SwaggerForm() {}

  /** All these documents of version 3 as one of version 2. */
  static ObjectNode of(List<ObjectNode> documents) {
    var json = Wire.object().put("swagger", "2.0");
    json.putObject("info").put("title", "Regroup").put("version", Version.GIT_VERSION);
    var paths = json.putObject("paths");
    var definitions = json.putObject("definitions");
    for (var document : documents) {
      document
          .path("paths")
          .properties()
          .forEach(path -> paths.set(path.getKey(), path(path.getValue())));
      document
          .path("components")
          .path("schemas")
          .properties()
          .forEach(one -> definitions.set(one.getKey(), definition(one.getValue())));
    }
    return json;
  }

  private static ObjectNode definition(JsonNode given) {
    if (!isOpen(given) || !given.has(KINDS)) {
      return schema(given);
    }
    var json = Wire.object().put("type", "object");
    json.set(KINDS, given.path(KINDS));
    return json;
  }

  /** Whether it may have fields that nobody names. */
  private static boolean isOpen(JsonNode given) {
    return Trees.isTrue(given, "x-kubernetes-preserve-unknown-fields");
  }

  private static boolean isNullable(JsonNode given) {
    return Trees.isTrue(given, "nullable");
  }

  private static ObjectNode path(JsonNode item) {
    var json = Wire.object();
    item.properties().forEach(method -> json.set(method.getKey(), operation(method.getValue())));
    return json;
  }

  private static ObjectNode operation(JsonNode given) {
    ObjectNode json = given.deepCopy();
    var parameters = json.putArray("parameters");
    for (var parameter : given.path("parameters")) {
      ObjectNode one = parameter.deepCopy();
      one.remove("schema");
      parameter
          .path("schema")
          .properties()
          .forEach(word -> one.set(word.getKey(), word.getValue()));
      parameters.add(one);
    }
    return json;
  }

  private static ObjectNode schema(JsonNode given) {
    var json = Wire.object();
    given
        .properties()
        .forEach(entry -> {
          String word = entry.getKey();
          var value = entry.getValue();
          if (WORDS.contains(word) || word.startsWith("x-")) {
            json.set(word, value);
          }
        });
    String ref = reference(given);
    if (!ref.isEmpty()) {
      json.put("$ref", OLD + ref.substring(NEW.length()));
    }
    boolean listed = !isOpen(given) && !isNullable(given);
    if (listed && given.get("items") instanceof ObjectNode items) {
      json.set("items", schema(items));
    }
    if (listed && given.get("properties") instanceof ObjectNode properties) {
      var all = json.putObject("properties");
      properties.properties().forEach(one -> all.set(one.getKey(), schema(one.getValue())));
    }
    if (given.get("additionalProperties") instanceof ObjectNode others) {
      json.set("additionalProperties", schema(others));
    }
    if (!listed && (isNullable(given) || !isPlain(json))) {
      json.remove("type");
    }
    leaveOutNullable(json, given);
    return json;
  }

  /** Neither an object nor a list. */
  private static boolean isPlain(ObjectNode json) {
    String type = Trees.text(json, "type");
    return !type.equals("object") && !type.equals("array");
  }

  /** A field that may be null counts as missing there, so it cannot be required. */
  private static void leaveOutNullable(ObjectNode json, JsonNode given) {
    if (given.get("required") instanceof ArrayNode names) {
      var left = Wire.object().putArray("required");
      for (var name : names) {
        if (!isNullable(given.path("properties").path(name.asText()))) {
          left.add(name);
        }
      }
      if (left.isEmpty()) {
        json.remove("required");
      } else {
        json.set("required", left);
      }
    }
  }

  /** Its own, or the only one of {@code allOf}, which gives a reference company in the new form. */
  private static String reference(JsonNode given) {
    var all = given.path("allOf");
    return all.size() == 1 ? all.path(0).path("$ref").asText("") : given.path("$ref").asText("");
  }
}
