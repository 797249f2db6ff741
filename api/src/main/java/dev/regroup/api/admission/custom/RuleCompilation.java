package dev.regroup.api.admission.custom;

import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.structural.Structural;
import java.util.List;

/** Whether the rules of a schema can be compiled and are cheap enough. */
final class RuleCompilation {

  private RuleCompilation() {}

  /**
   * @param known whether the schema was accepted before: what it costs is no question any more
   */
  static List<FieldError> check(Structural schema, FieldPath path, boolean known) {
    return List.of();
  }
}
