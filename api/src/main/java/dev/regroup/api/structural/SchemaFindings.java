package dev.regroup.api.structural;

import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is wrong with a value, each thing once, and how many checks it passed: of several schemas
 * that refuse a value the one that fits best is quoted.
 */
final class SchemaFindings {
  private final Map<String, FieldError> errors = new LinkedHashMap<>();
  private int passed;

  /** Adds an error under the text that tells it from others. */
  void add(String text, FieldError error) {
    errors.putIfAbsent(text, error);
  }

  /** Something that has no field of its own. */
  void addPlain(FieldPath root, String text) {
    add(text, FieldError.invalid(root, "", text));
  }

  void addAll(SchemaFindings others) {
    others.errors.forEach(errors::putIfAbsent);
    passed += others.passed;
  }

  void pass() {
    passed++;
  }

  int passed() {
    return passed;
  }

  boolean isEmpty() {
    return errors.isEmpty();
  }

  /** Forgets the errors: what they are about was there before. */
  void forgive() {
    errors.clear();
  }

  List<FieldError> errors() {
    return new ArrayList<>(errors.values());
  }
}
