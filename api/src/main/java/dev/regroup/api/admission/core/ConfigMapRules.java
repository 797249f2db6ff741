package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keys and size of a ConfigMap, and what {@code immutable} means. */
final class ConfigMapRules implements KindRules {

  private static final int MAX_SIZE = 1024 * 1024;

  @Override
  public List<FieldError> check(ObjectNode map, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    long size = 0;
    for (String part : List.of("data", "binaryData")) {
      FieldPath path = FieldPath.of(part);
      for (String key : Trees.keys(map, part)) {
        NameRules.configKey(key)
            .forEach(problem -> errors.add(invalid(path.key(key), key, problem)));
        if (part.equals("data") && map.path("binaryData").has(key)) {
          errors.add(invalid(path.key(key), key, "duplicate of key present in binaryData"));
        }
        size += Trees.text(map, part, key).length();
      }
    }
    if (size > MAX_SIZE) {
      errors.add(FieldError.tooLong(FieldPath.ROOT.key(""), MAX_SIZE));
    }
    if (old != null) {
      immutable(map, old, List.of("data", "binaryData"), errors);
    }
    return errors;
  }

  static void immutable(
      ObjectNode object, ObjectNode old, List<String> parts, List<FieldError> errors) {
    if (!Trees.isTrue(old, "immutable")) {
      return;
    }
    String why = "field is immutable when `immutable` is set";
    if (!Trees.isTrue(object, "immutable")) {
      errors.add(forbidden(FieldPath.of("immutable"), why));
    }
    for (String part : parts) {
      if (!Trees.same(object.path(part), old.path(part))) {
        errors.add(forbidden(FieldPath.of(part), why));
      }
    }
  }
}
