package dev.regroup.api.admission.custom;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.structural.RulePath;
import dev.regroup.api.structural.Structural;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What OpenAPI has and a schema of a definition must not, and how its extensions are used. */
final class SchemaRestrictions {
  private static final List<String> TYPES =
      List.of("array", "boolean", "integer", "number", "object", "string");
  private static final Set<String> META = Set.of("metadata", "kind", "apiVersion");
  private static final List<String> REASONS =
      List.of(
          "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired");
  private static final List<String> UNSUPPORTED =
      List.of("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref");
  private static final String LIST_TYPE = "x-kubernetes-list-type";
  private static final String LIST_KEYS = "x-kubernetes-list-map-keys";
  private static final String MAP_TYPE = "x-kubernetes-map-type";

  /**
   * Where in the schema one is.
   *
   * @param noDefaults why there may be no default; empty when there may
   * @param meta whether it is about the type or the metadata of an object
   */
  private record Place(String noDefaults, boolean meta) {}

  private final List<FieldError> errors = new ArrayList<>();

  private SchemaRestrictions() {}

  static List<FieldError> check(JsonNode schema, FieldPath path) {
    var restrictions = new SchemaRestrictions();
    restrictions.check(schema, path, new Place("", false), true);
    return restrictions.errors;
  }

  private void check(JsonNode schema, FieldPath path, Place place, boolean root) {
    if (!schema.isObject()) {
      return;
    }
    keywords(schema, path, place);
    if (Trees.isTrue(schema, "uniqueItems")) {
      errors.add(
          FieldError.forbidden(
              path.field("uniqueItems"),
              "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
    }
    others(schema, path, place);
    for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
      var key = field.getKey();
      boolean object = root || Trees.isTrue(schema, "x-kubernetes-embedded-resource");
      boolean meta = object && META.contains(key);
      var reason = meta && root ? "in top-level " + key : place.noDefaults();
      check(
          field.getValue(),
          path.field("properties").key(key),
          new Place(reason, place.meta() || meta),
          false);
    }
    if (schema.has("not")) {
      check(schema.path("not"), path.field("not"), place, false);
    }
    for (String field : List.of("allOf", "oneOf", "anyOf")) {
      for (int i = 0; i < schema.path(field).size(); i++) {
        check(schema.path(field).path(i), path.field(field).index(i), place, false);
      }
    }
    check(schema.path("items"), path.field("items"), place, false);
    extensions(schema, path);
    rules(schema, path);
  }

  private void keywords(JsonNode schema, FieldPath path, Place place) {
    var type = Trees.text(schema, "type");
    if (!type.isEmpty() && !TYPES.contains(type)) {
      errors.add(FieldError.notSupported(path.field("type"), type, TYPES));
    }
    if (schema.has("default") && !place.noDefaults().isEmpty()) {
      errors.add(
          FieldError.forbidden(path.field("default"), "must not be set " + place.noDefaults()));
    }
    for (String field : UNSUPPORTED) {
      if (schema.has(field)) {
        errors.add(FieldError.forbidden(path.field(field), field + " is not supported"));
      }
    }
    if (type.equals("null")) {
      errors.add(
          FieldError.forbidden(
              path.field("type"), "type cannot be set to null, use nullable as an alternative"));
    }
    if (schema.path("items").isArray()) {
      errors.add(
          FieldError.forbidden(
              path.field("items"), "items must be a schema object and not an array"));
    }
    if (place.meta() && Trees.isTrue(schema, "x-kubernetes-embedded-resource")) {
      errors.add(
          FieldError.forbidden(
              path.field("x-kubernetes-embedded-resource"),
              "must not be used inside of resource meta"));
    }
  }

  private void others(JsonNode schema, FieldPath path, Place place) {
    var others = schema.path("additionalProperties");
    if (others.isMissingNode()) {
      return;
    }
    boolean anything = others.isBoolean() && others.booleanValue();
    if (!schema.path("properties").isEmpty() && !anything) {
      errors.add(
          FieldError.forbidden(
              path.field("additionalProperties"),
              "additionalProperties and properties are mutual exclusive"));
    }
    var reason =
        place.meta()
            ? "inside additionalProperties applying to object metadata"
            : place.noDefaults();
    check(others, path.field("additionalProperties"), new Place(reason, place.meta()), false);
  }

  private void extensions(JsonNode schema, FieldPath path) {
    var free = schema.path("x-kubernetes-preserve-unknown-fields");
    if (free.isBoolean() && !free.booleanValue()) {
      errors.add(
          FieldError.invalid(
              path.field("x-kubernetes-preserve-unknown-fields"),
              false,
              "must be true or undefined"));
    }
    needsType(schema, MAP_TYPE, "object", path);
    known(schema, MAP_TYPE, List.of("atomic", "granular"), path);
    if (schema.has(LIST_TYPE) && !Trees.text(schema, "type").equals("array")) {
      needsType(schema, LIST_TYPE, "array", path);
    } else if (Trees.text(schema, LIST_TYPE).equals("set")) {
      setItems(schema.path("items"), path.field("items"));
    }
    known(schema, LIST_TYPE, List.of("atomic", "set", "map"), path);
    if (!schema.path(LIST_KEYS).isEmpty() && !Trees.text(schema, LIST_TYPE).equals("map")) {
      var words = "must be map if x-kubernetes-list-map-keys is non-empty";
      errors.add(
          schema.has(LIST_TYPE)
              ? FieldError.invalid(path.field(LIST_TYPE), Trees.text(schema, LIST_TYPE), words)
              : FieldError.required(path.field(LIST_TYPE), words));
    }
    if (Trees.text(schema, LIST_TYPE).equals("map")) {
      keyed(schema, path);
    }
    items(schema, path);
  }

  private void needsType(JsonNode schema, String extension, String wanted, FieldPath path) {
    var type = Trees.text(schema, "type");
    if (!schema.has(extension) || type.equals(wanted)) {
      return;
    }
    var words = "must be " + wanted + " if " + extension + " is specified";
    errors.add(
        type.isEmpty()
            ? FieldError.required(path.field("type"), words)
            : FieldError.invalid(path.field("type"), type, words));
  }

  private void known(JsonNode schema, String extension, List<String> values, FieldPath path) {
    var value = Trees.text(schema, extension);
    if (schema.has(extension) && !values.contains(value)) {
      errors.add(FieldError.notSupported(path.field(extension), value, values));
    }
  }

  private void setItems(JsonNode items, FieldPath path) {
    var words = "must be atomic as item of a list with x-kubernetes-list-type=set";
    var list = Trees.text(items, LIST_TYPE);
    switch (Trees.text(items, "type")) {
      case "array" -> {
        if (items.has(LIST_TYPE) && !list.equals("atomic")) {
          errors.add(FieldError.invalid(path.field(LIST_TYPE), list, words));
        }
      }
      case "object" -> {
        if (!Trees.text(items, MAP_TYPE).equals("atomic")) {
          errors.add(FieldError.invalid(path.field(MAP_TYPE), null, words));
        }
      }
      default -> {} // scalars are atomic
    }
  }

  private void keyed(JsonNode schema, FieldPath path) {
    var items = schema.path("items");
    if (schema.path(LIST_KEYS).isEmpty()) {
      errors.add(
          FieldError.required(
              path.field(LIST_KEYS), "must not be empty if x-kubernetes-list-type is map"));
    }
    if (items.isMissingNode()) {
      errors.add(
          FieldError.required(
              path.field("items"), "must have a schema if x-kubernetes-list-type is map"));
      return;
    }
    if (!items.isObject()) {
      errors.add(
          FieldError.invalid(
              path.field("items"),
              items,
              "must only have a single schema if x-kubernetes-list-type is map"));
      return;
    }
    var type = Trees.text(items, "type");
    if (!type.equals("object")) {
      errors.add(
          FieldError.invalid(
              path.field("items", "type"),
              type,
              "must be object if parent array's x-kubernetes-list-type is map"));
      return;
    }
    var seen = new HashSet<String>();
    for (String key : Trees.texts(schema, LIST_KEYS)) {
      key(schema, key, path);
      if (!seen.add(key)) {
        errors.add(
            FieldError.invalid(
                path.field(LIST_KEYS),
                schema.path(LIST_KEYS),
                "must not contain duplicate entries"));
      }
    }
  }

  private void key(JsonNode schema, String key, FieldPath path) {
    var property = schema.path("items").path("properties").path(key);
    if (property.isMissingNode()) {
      errors.add(
          FieldError.invalid(
              path.field(LIST_KEYS),
              schema.path(LIST_KEYS),
              "entries must all be names of item properties"));
    } else if (Set.of("array", "object").contains(Trees.text(property, "type"))) {
      errors.add(
          FieldError.invalid(
              path.field("items", "properties").key(key).field("type"),
              "object",
              "must be a scalar type if parent array's x-kubernetes-list-type is map"));
    }
  }

  /** Items of sets and keyed lists are there, and so are their keys. */
  private void items(JsonNode schema, FieldPath path) {
    var items = schema.path("items");
    var list = Trees.text(schema, LIST_TYPE);
    if (!items.isObject() || (!list.equals("set") && !list.equals("map"))) {
      return;
    }
    if (Trees.isTrue(items, "nullable")) {
      errors.add(
          FieldError.forbidden(
              path.field("items", "nullable"),
              "cannot be nullable when x-kubernetes-list-type is " + list));
    }
    if (!list.equals("map")) {
      return;
    }
    var required = Trees.texts(items, "required");
    for (String key : Trees.texts(schema, LIST_KEYS)) {
      var property = items.path("properties").path(key);
      var at = path.field("items", "properties").key(key);
      if (property.isMissingNode()) {
        continue;
      }
      var lead = "this property is in x-kubernetes-list-map-keys, so it ";
      if (!required.contains(key) && !property.has("default")) {
        errors.add(
            FieldError.required(
                at.field("default"), lead + "must have a default or be a required property"));
      }
      if (Trees.isTrue(property, "nullable")) {
        errors.add(FieldError.forbidden(at.field("nullable"), lead + "cannot be nullable"));
      }
    }
  }

  private void rules(JsonNode schema, FieldPath path) {
    var rules = Trees.objects(schema, "x-kubernetes-validations");
    for (int i = 0; i < rules.size(); i++) {
      rule(rules.get(i), schema, path.field("x-kubernetes-validations").index(i));
    }
  }

  private void rule(JsonNode rule, JsonNode schema, FieldPath path) {
    var text = Trees.text(rule, "rule").strip();
    var message = Trees.text(rule, "message");
    if (text.isEmpty()) {
      errors.add(FieldError.required(path.field("rule"), "rule is not specified"));
    } else if (!message.isEmpty() && message.isBlank()) {
      errors.add(
          FieldError.invalid(path.field("message"), message, "must be non-empty if specified"));
    } else if (hasBreaks(message.strip())) {
      errors.add(
          FieldError.invalid(path.field("message"), message, "must not contain line breaks"));
    } else if (hasBreaks(text) && message.isBlank()) {
      errors.add(
          FieldError.required(
              path.field("message"), "message must be specified if rule contains line breaks"));
    }
    var expression = Trees.text(rule, "messageExpression");
    if (!expression.isEmpty() && expression.isBlank()) {
      errors.add(
          FieldError.required(
              path.field("messageExpression"), "messageExpression must be non-empty if specified"));
    }
    var reason = Trees.text(rule, "reason");
    if (rule.has("reason") && !REASONS.contains(reason)) {
      errors.add(FieldError.notSupported(path.field("reason"), reason, REASONS));
    }
    fieldPath(Trees.text(rule, "fieldPath"), schema, path.field("fieldPath"));
  }

  private void fieldPath(String text, JsonNode schema, FieldPath path) {
    if (text.isEmpty()) {
      return;
    }
    if (text.isBlank()) {
      errors.add(FieldError.invalid(path, text, "must be non-empty if specified"));
    }
    if (hasBreaks(text)) {
      errors.add(FieldError.invalid(path, text, "must not contain line breaks"));
    }
    var found = RulePath.of(text, Structural.of(schema), RulePath.Brackets.ALLOWED);
    if (!found.problem().isEmpty()) {
      errors.add(FieldError.invalid(path, text, "must be a valid path"));
    }
  }

  private static boolean hasBreaks(String text) {
    return text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0;
  }
}
