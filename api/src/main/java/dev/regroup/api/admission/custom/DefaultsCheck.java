package dev.regroup.api.admission.custom;

import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.structural.EmbeddedObjects;
import dev.regroup.api.structural.FieldPruning;
import dev.regroup.api.structural.SchemaRules;
import dev.regroup.api.structural.SchemaValidation;
import dev.regroup.api.structural.Structural;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Defaults must be what the schema itself would accept, and leave nothing to prune. */
final class DefaultsCheck {
  private static final Set<String> META = Set.of("metadata", "apiVersion", "kind");

  private DefaultsCheck() {}

  static List<FieldError> check(FieldPath path, Structural schema) {
    return check(path, schema.asEmbedded(), false);
  }

  private static List<FieldError> check(FieldPath path, Structural schema, boolean meta) {
    var errors = new ArrayList<FieldError>();
    boolean embedded = schema.extensions().embedded();
    boolean insideMeta = meta && !embedded;
    if (schema.fallback() != null) {
      errors.addAll(one(path.field("default"), schema, insideMeta));
    }
    if (schema.items() != null) {
      errors.addAll(check(path.field("items"), schema.items(), insideMeta));
    }
    schema
        .properties()
        .forEach((key, below) ->
            errors.addAll(
                check(
                    path.field("properties").key(key),
                    below,
                    insideMeta || (embedded && META.contains(key)))));
    return errors;
  }

  private static List<FieldError> one(FieldPath path, Structural schema, boolean insideMeta) {
    var errors = new ArrayList<FieldError>();
    var value = schema.fallback();
    if (value == null) {
      return errors;
    }
    if (!insideMeta) {
      var pruned = value.deepCopy();
      FieldPruning.ofValue(pruned, schema);
      if (!pruned.equals(value)) {
        errors.add(FieldError.invalid(path, value, "must not have unknown fields"));
      }
      var embedded = EmbeddedObjects.check(path, value, schema);
      if (!embedded.isEmpty()) {
        errors.addAll(embedded);
        return errors;
      }
    }
    var wrong = SchemaValidation.check(path, value, schema);
    errors.addAll(wrong);
    if (wrong.isEmpty() && schema.hasRules()) {
      errors.addAll(SchemaRules.ofValue(schema).check(path, value, null));
    }
    return errors;
  }
}
