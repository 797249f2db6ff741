package dev.regroup.api.admission.custom;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.structural.Structural;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Checks one schema of a definition, in this order: what its root may say, whether it is
 * structural, its defaults, and all that OpenAPI knows and Kubernetes does not allow. Defaults are
 * looked at only in a schema that is structural, rules only in one without any other mistake.
 */
final class SchemaCheck {

  /** With a status of its own the root is split in two, and nothing may be lost by that. */
  private static final List<String> AT_ROOT =
      List.of(
          "description",
          "type",
          "format",
          "title",
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
          "multipleOf",
          "required",
          "items",
          "properties",
          "externalDocs",
          "example",
          "x-kubernetes-preserve-unknown-fields",
          "x-kubernetes-validations");

  private static final Set<String> NAMED_APART =
      Set.of("x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations");

  private final ObjectNode schema;
  private final FieldPath path;
  private final boolean stored;
  private final List<FieldError> errors = new ArrayList<>();

  /**
   * @param stored whether the definition had this schema before
   */
  SchemaCheck(ObjectNode schema, FieldPath path, boolean stored) {
    this.stored = stored;
    this.schema = schema;
    this.path = path;
  }

  List<FieldError> check(boolean status) {
    if (status) {
      root();
    }
    if (Trees.isTrue(schema, "nullable")) {
      errors.add(
          FieldError.forbidden(suffixed(".nullable"), "nullable cannot be true at the root"));
    }
    var unreadable = unreadable(schema);
    boolean sound = false;
    if (unreadable.isEmpty()) {
      var structure = SchemaStructure.check(schema, path);
      errors.addAll(structure);
      if (structure.isEmpty()) {
        var defaults = DefaultsCheck.check(path, Structural.of(schema));
        errors.addAll(defaults);
        sound = defaults.isEmpty();
      }
    }
    errors.addAll(SchemaRestrictions.check(schema, path));
    if (errors.isEmpty() && !unreadable.isEmpty()) {
      errors.add(FieldError.invalid(path, "", unreadable));
    }
    if (sound && errors.isEmpty()) {
      errors.addAll(RuleCompilation.check(Structural.of(schema), path, stored));
    }
    return errors;
  }

  private FieldPath suffixed(String end) {
    var steps = new ArrayList<>(path.steps());
    var last = (FieldPath.Step.Name) steps.removeLast();
    return new FieldPath(steps).field(last.name() + end);
  }

  private void root() {
    for (String field : Trees.keys(schema)) {
      if (field.equals("type")) {
        var type = Trees.text(schema, "type");
        if (!type.equals("object")) {
          errors.add(
              FieldError.invalid(
                  suffixed(".type"),
                  type,
                  "only \"object\" is allowed as the type at the root of the schema if the status"
                      + " subresource is enabled"));
          return;
        }
      } else if (!AT_ROOT.contains(field)) {
        var names = AT_ROOT.stream().map(SchemaCheck::goName).toList();
        errors.add(
            FieldError.invalid(
                path,
                FieldError.internal(schema),
                "only "
                    + names.toString().replace(",", "")
                    + " fields are allowed at the root of the schema if the status subresource is"
                    + " enabled"));
        return;
      }
    }
  }

  private static String goName(String field) {
    if (NAMED_APART.contains(field)) {
      return field.endsWith("validations") ? "XValidations" : "XPreserveUnknownFields";
    }
    return Character.toUpperCase(field.charAt(0)) + field.substring(1);
  }

  /** Why a schema cannot be read as a structural one at all; empty when it can. */
  private static String unreadable(JsonNode schema) {
    var problems = new ArrayList<String>();
    SchemaForm.visit(
        schema,
        one -> {
          for (String field :
              List.of(
                  "id",
                  "$schema",
                  "$ref",
                  "patternProperties",
                  "dependencies",
                  "additionalItems",
                  "definitions")) {
            if (one.has(field)) {
              var name = field.equals("$schema") ? "schema" : field;
              problems.add("OpenAPIV3Schema '" + name + "' is not supported");
            }
          }
          if (one.path("items").isArray()) {
            problems.add("OpenAPIV3Schema 'items' must be a schema, but is an array");
          }
          var free = one.path("x-kubernetes-preserve-unknown-fields");
          if (free.isBoolean() && !free.booleanValue()) {
            problems.add(
                "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined");
          }
        });
    return problems.isEmpty() ? "" : problems.getFirst();
  }
}
