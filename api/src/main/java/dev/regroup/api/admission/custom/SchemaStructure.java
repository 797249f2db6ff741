package dev.regroup.api.admission.custom;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Whether a schema is structural: every place has a type, clauses of logic say nothing about types,
 * and what they speak of exists outside of them, too.
 */
final class SchemaStructure {
  private static final JsonNode INT_OR_STRING =
      Wire.tree("{\"any\": [{\"type\": \"integer\"}, {\"type\": \"string\"}]}").path("any");

  /** What a clause may not have, and how it must be instead. */
  private static final List<Map.Entry<String, String>> NOT_IN_CLAUSES =
      List.of(
          Map.entry("type", "must be empty"),
          Map.entry("default", "must be undefined"),
          Map.entry("title", "must be empty"),
          Map.entry("description", "must be empty"),
          Map.entry("nullable", "must be false"),
          Map.entry("x-kubernetes-preserve-unknown-fields", "must be false"),
          Map.entry("x-kubernetes-embedded-resource", "must be false"),
          Map.entry("x-kubernetes-int-or-string", "must be false"),
          Map.entry("x-kubernetes-list-map-keys", "must be empty"),
          Map.entry("x-kubernetes-list-type", "must be undefined"),
          Map.entry("x-kubernetes-map-type", "must be undefined"),
          Map.entry("x-kubernetes-validations", "must be empty"));

  private enum Level {
    ROOT("at the root"),
    ITEM("for specified array items"),
    FIELD("for specified object fields");

    private final String words;

    Level(String words) {
      this.words = words;
    }
  }

  private final List<FieldError> errors = new ArrayList<>();

  private SchemaStructure() {}

  static List<FieldError> check(JsonNode schema, FieldPath path) {
    var structure = new SchemaStructure();
    structure.place(schema, Level.ROOT, path);
    structure.complete(schema, schema, path, path);
    structure.errors.sort(Comparator.comparing(FieldError::toString));
    return structure.errors;
  }

  private void place(JsonNode schema, Level level, FieldPath path) {
    var type = Trees.text(schema, "type");
    if (type.equals("array") && !schema.has("items")) {
      errors.add(FieldError.required(path.field("items"), "must be specified"));
    }
    if (schema.path("items").isObject()) {
      place(schema.path("items"), Level.ITEM, path.field("items"));
    }
    for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
      place(field.getValue(), Level.FIELD, path.field("properties").key(field.getKey()));
    }
    var others = schema.path("additionalProperties");
    if (!others.isMissingNode() && level == Level.ROOT) {
      errors.add(
          FieldError.forbidden(path.field("additionalProperties"), "must not be used at the root"));
    }
    if (others.isObject()) {
      place(others, Level.FIELD, path.field("additionalProperties"));
    }
    extensions(schema, path);
    clauses(schema, path, isIntOrString(schema), isIntOrString(schema.path("allOf").path(0)));
    typed(schema, level, path);
    meta(schema, level, path);
  }

  private static boolean isIntOrString(JsonNode schema) {
    return schema.path("anyOf").equals(INT_OR_STRING);
  }

  private void extensions(JsonNode schema, FieldPath path) {
    for (String other :
        List.of("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource")) {
      if (Trees.isTrue(schema, "x-kubernetes-int-or-string") && Trees.isTrue(schema, other)) {
        errors.add(
            FieldError.invalid(
                path.field(other), true, "must be false if x-kubernetes-int-or-string is true"));
      }
    }
  }

  private void typed(JsonNode schema, Level level, FieldPath path) {
    var type = Trees.text(schema, "type");
    boolean embedded = Trees.isTrue(schema, "x-kubernetes-embedded-resource");
    boolean free = Trees.isTrue(schema, "x-kubernetes-preserve-unknown-fields");
    var at = path.field("type");
    if (embedded && !type.equals("object")) {
      var words = "must be object if x-kubernetes-embedded-resource is true";
      errors.add(
          type.isEmpty() ? FieldError.required(at, words) : FieldError.invalid(at, type, words));
    } else if (type.isEmpty() && !Trees.isTrue(schema, "x-kubernetes-int-or-string") && !free) {
      errors.add(FieldError.required(at, "must not be empty " + level.words));
    }
    if (embedded && schema.has("additionalProperties")) {
      errors.add(
          FieldError.forbidden(
              path.field("additionalProperties"),
              "must not be used if x-kubernetes-embedded-resource is set"));
    }
    if (level == Level.ROOT && !type.isEmpty() && !type.equals("object")) {
      errors.add(FieldError.invalid(at, type, "must be object at the root"));
    }
    if (embedded && !free && schema.path("properties").isEmpty()) {
      errors.add(
          FieldError.required(
              path.field("properties"),
              "must not be empty if x-kubernetes-embedded-resource is true without"
                  + " x-kubernetes-preserve-unknown-fields"));
    }
  }

  /** The type and the metadata of objects are what they are. */
  private void meta(JsonNode schema, Level level, FieldPath path) {
    boolean object = level == Level.ROOT || Trees.isTrue(schema, "x-kubernetes-embedded-resource");
    var properties = path.field("properties");
    for (String name : List.of("kind", "apiVersion")) {
      var property = schema.path("properties").path(name);
      var type = Trees.text(property, "type");
      if (object && property.isObject() && !type.equals("string")) {
        errors.add(FieldError.invalid(properties.key(name).field("type"), type, "must be string"));
      }
    }
    var metadata = schema.path("properties").path("metadata");
    if (!metadata.isObject()) {
      return;
    }
    var type = Trees.text(metadata, "type");
    if (object && !type.equals("object")) {
      errors.add(
          FieldError.invalid(properties.key("metadata").field("type"), type, "must be object"));
    }
    if (level == Level.ROOT && !isPlainMetadata(metadata)) {
      errors.add(
          FieldError.forbidden(
              properties.key("metadata"),
              "must not specify anything other than name and generateName, but metadata is"
                  + " implicitly specified"));
    }
  }

  private static boolean isPlainMetadata(JsonNode metadata) {
    return Set.of("type", "default", "properties").containsAll(Trees.keys(metadata))
        && Set.of("name", "generateName").containsAll(Trees.keys(metadata, "properties"));
  }

  private void clauses(JsonNode schema, FieldPath path, boolean skipAnyOf, boolean skipFirst) {
    if (!skipAnyOf) {
      each(schema, "anyOf", path, false);
    }
    each(schema, "allOf", path, skipFirst);
    each(schema, "oneOf", path, false);
    if (schema.has("not")) {
      clause(schema.path("not"), path.field("not"), false);
    }
    var pattern = Trees.text(schema, "pattern");
    try {
      var _ = Pattern.compile(pattern);
    } catch (PatternSyntaxException e) {
      errors.add(
          FieldError.invalid(
              path.field("pattern"),
              pattern,
              "must be a valid regular expression, but isn't: " + e.getMessage()));
    }
  }

  private void each(JsonNode schema, String field, FieldPath path, boolean skipFirst) {
    var list = schema.path(field);
    for (int i = 0; i < list.size(); i++) {
      clause(list.path(i), path.field(field).index(i), skipFirst && i == 0);
    }
  }

  private void clause(JsonNode clause, FieldPath path, boolean skipAnyOf) {
    clauses(clause, path, skipAnyOf, false);
    if (clause.path("items").isObject()) {
      clause(clause.path("items"), path.field("items"), false);
    }
    for (Map.Entry<String, JsonNode> field : clause.path("properties").properties()) {
      clause(field.getValue(), path.field("properties").key(field.getKey()), false);
    }
    var others = clause.path("additionalProperties");
    if (others.isObject() || others.asBoolean(false)) {
      errors.add(
          FieldError.forbidden(
              path.field("additionalProperties"), "must be undefined to be structural"));
    }
    for (Map.Entry<String, String> forbidden : NOT_IN_CLAUSES) {
      if (clause.has(forbidden.getKey())) {
        errors.add(
            FieldError.forbidden(
                path.field(forbidden.getKey()), forbidden.getValue() + " to be structural"));
      }
    }
    if (clause.path("properties").has("metadata")) {
      errors.add(
          FieldError.forbidden(
              path.field("properties").key("metadata"),
              "must not be specified in a nested context"));
    }
  }

  /** What clauses speak of must be there. */
  private void complete(JsonNode clause, JsonNode schema, FieldPath at, FieldPath where) {
    if (clause.has("not")) {
      present(clause.path("not"), schema, at, where.field("not"));
    }
    for (String field : List.of("allOf", "anyOf", "oneOf")) {
      var list = clause.path(field);
      for (int i = 0; i < list.size(); i++) {
        present(list.path(i), schema, at, where.field(field).index(i));
      }
    }
  }

  private void present(JsonNode clause, JsonNode schema, FieldPath at, FieldPath where) {
    complete(clause, schema, at, where);
    if (clause.path("items") instanceof ObjectNode items) {
      below(items, schema.path("items"), at.field("items"), where.field("items"));
    }
    for (Map.Entry<String, JsonNode> field : clause.path("properties").properties()) {
      below(
          field.getValue(),
          schema.path("properties").path(field.getKey()),
          at.field("properties").key(field.getKey()),
          where.field("properties").key(field.getKey()));
    }
  }

  private void below(JsonNode clause, JsonNode schema, FieldPath at, FieldPath where) {
    if (schema.isObject()) {
      present(clause, schema, at, where);
    } else {
      errors.add(FieldError.required(at, "because it is defined in " + where));
    }
  }
}
