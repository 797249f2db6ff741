package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.schema.Decoder;
import dev.regroup.api.schema.Undecodable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Whole objects inside of an object: they have a type and metadata of their own. */
public final class EmbeddedObjects {
  private final Decoder decoder;
  private final List<String> unknown = new ArrayList<>();

  private EmbeddedObjects(Decoder decoder) {
    this.decoder = decoder;
  }

  /** Brings their metadata into form; returns the paths of fields that were dropped. */
  public static List<String> read(ObjectNode object, Structural schema, Decoder decoder)
      throws Undecodable {
    var reading = new EmbeddedObjects(decoder);
    reading.read(FieldPath.ROOT, object, schema);
    return reading.unknown;
  }

  private void read(FieldPath path, JsonNode value, Structural schema) throws Undecodable {
    if (value instanceof ObjectNode object) {
      if (schema.extensions().embedded()) {
        readMetadata(path, object);
      }
      for (Map.Entry<String, JsonNode> field : object.properties()) {
        var below = schema.at(field.getKey());
        if (below.isPresent()) {
          read(below(path, schema, field.getKey()), field.getValue(), below.get());
        }
      }
    } else if (value.isArray() && schema.items() != null) {
      for (int i = 0; i < value.size(); i++) {
        read(path.index(i), value.path(i), schema.items());
      }
    }
  }

  private void readMetadata(FieldPath path, ObjectNode object) throws Undecodable {
    for (String field : List.of("apiVersion", "kind")) {
      var value = object.get(field);
      if (value != null && !value.isTextual()) {
        throw new Undecodable(
            FieldError.invalid(path.field(field), value, "must be a string").toString());
      }
    }
    try {
      decoder
          .metadata(object)
          .forEach(name -> unknown.add(path.field("metadata", name).toString()));
    } catch (Undecodable e) {
      throw new Undecodable(
          FieldError.invalid(
                  path.field("metadata"), object.path("metadata"), String.valueOf(e.getMessage()))
              .toString());
    }
  }

  private static FieldPath below(FieldPath path, Structural schema, String key) {
    return schema.properties().containsKey(key) ? path.field(key) : path.key(key);
  }

  /** What is wrong with their types and metadata. */
  public static List<FieldError> check(FieldPath path, JsonNode value, Structural schema) {
    var errors = new ArrayList<FieldError>();
    if (value instanceof ObjectNode object) {
      if (schema.extensions().embedded()) {
        errors.addAll(checkOne(path, object));
      }
      for (Map.Entry<String, JsonNode> field : object.properties()) {
        schema
            .at(field.getKey())
            .ifPresent(below ->
                errors.addAll(check(below(path, schema, field.getKey()), field.getValue(), below)));
      }
    } else if (value.isArray() && schema.items() != null) {
      for (int i = 0; i < value.size(); i++) {
        errors.addAll(check(path.index(i), value.path(i), schema.items()));
      }
    }
    return errors;
  }

  private static List<FieldError> checkOne(FieldPath path, ObjectNode object) {
    var errors = new ArrayList<FieldError>();
    for (String field : List.of("apiVersion", "kind")) {
      var value = object.get(field);
      var at = path.field(field);
      if (value == null) {
        errors.add(FieldError.required(at, ""));
      } else if (!value.isTextual()) {
        errors.add(FieldError.invalid(at, value, "must be a string"));
      } else if (value.textValue().isEmpty()) {
        errors.add(FieldError.invalid(at, "", "must not be empty"));
      }
    }
    var version = object.path("apiVersion").asText("");
    if (version.split("/", -1).length > 2) {
      errors.add(
          FieldError.invalid(
              path.field("apiVersion"), version, "unexpected GroupVersion string: " + version));
    }
    var kind = object.path("kind").asText("");
    var problems = NameRules.label1035(kind.toLowerCase(Locale.ROOT));
    if (!kind.isEmpty() && !problems.isEmpty()) {
      errors.add(
          FieldError.invalid(
              path.field("kind"),
              kind,
              "may have mixed case, but should otherwise match: " + String.join(",", problems)));
    }
    if (object.path("metadata").isObject()) {
      errors.addAll(Metadata.embedded(path.field("metadata"), object.path("metadata")));
    }
    return errors;
  }
}
