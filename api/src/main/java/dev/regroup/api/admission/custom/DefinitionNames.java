package dev.regroup.api.admission.custom;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a kind may be called. */
final class DefinitionNames {
  private DefinitionNames() {}

  /** Names that must be there. */
  static List<FieldError> required(JsonNode names, FieldPath path) {
    return List.of("plural", "singular", "kind", "listKind").stream()
        .filter(field -> Trees.text(names, field).isEmpty())
        .map(field -> FieldError.required(path.field(field), ""))
        .toList();
  }

  static List<FieldError> check(JsonNode names, FieldPath path) {
    var errors = new ArrayList<FieldError>();
    for (String field : List.of("plural", "singular")) {
      label(Trees.text(names, field), path.field(field), errors);
    }
    for (String field : List.of("kind", "listKind")) {
      var name = Trees.text(names, field);
      var problems = NameRules.label1035(name.toLowerCase(Locale.ROOT));
      if (!name.isEmpty() && !problems.isEmpty()) {
        errors.add(
            FieldError.invalid(
                path.field(field),
                name,
                "may have mixed case, but should otherwise match: " + String.join(",", problems)));
      }
    }
    list(names, "shortNames", path, errors);
    var kind = Trees.text(names, "kind");
    if (!kind.isEmpty() && kind.equals(Trees.text(names, "listKind"))) {
      errors.add(
          FieldError.invalid(
              path.field("listKind"), kind, "kind and listKind may not be the same"));
    }
    list(names, "categories", path, errors);
    return errors;
  }

  private static void list(JsonNode names, String field, FieldPath path, List<FieldError> errors) {
    var some = Trees.texts(names, field);
    for (int i = 0; i < some.size(); i++) {
      var problems = NameRules.label1035(some.get(i));
      if (!problems.isEmpty()) {
        errors.add(
            FieldError.invalid(
                path.field(field).index(i), some.get(i), String.join(",", problems)));
      }
    }
  }

  /** An empty name is missing, which is told elsewhere. */
  static void label(String name, FieldPath path, List<FieldError> errors) {
    var problems = NameRules.label1035(name);
    if (!name.isEmpty() && !problems.isEmpty()) {
      errors.add(FieldError.invalid(path, name, String.join(",", problems)));
    }
  }
}
