package dev.regroup.server.wire;

import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.schema.GroupVersionKind;
import java.util.ArrayList;
import java.util.List;

/** What the query of a write says: dry run, and what becomes of unknown fields. */
public record WriteParameters(boolean dryRun, FieldValidation fieldValidation) {

  /** What is done about fields a kind does not have. */
  public enum FieldValidation {
    IGNORE,
    WARN,
    STRICT
  }

  /**
   * Reads and checks the query.
   *
   * @param kind {@code CreateOptions}, {@code UpdateOptions} or {@code PatchOptions}: the refusal
   *     names it
   */
  public static WriteParameters of(RequestQuery query, String kind) throws Refused {
    var errors = new ArrayList<FieldError>();
    boolean dryRun = dryRun(query.all("dryRun"), errors);
    var text = query.text("fieldValidation");
    var validation =
        switch (text) {
          case "", "Warn" -> FieldValidation.WARN;
          case "Ignore" -> FieldValidation.IGNORE;
          case "Strict" -> FieldValidation.STRICT;
          default -> {
            errors.add(
                FieldError.notSupported(
                    FieldPath.of("fieldValidation"),
                    text,
                    List.of("", "Ignore", "Strict", "Warn")));
            yield FieldValidation.WARN;
          }
        };
    refuseIfAny(errors, kind);
    return new WriteParameters(dryRun, validation);
  }

  static boolean dryRun(List<String> values, List<FieldError> errors) {
    if (values.isEmpty()) {
      return false;
    }
    for (var value : values) {
      if (!value.equals("All")) {
        errors.add(FieldError.notSupported(FieldPath.of("dryRun"), values, List.of("All")));
        return false;
      }
    }
    return true;
  }

  static void refuseIfAny(List<FieldError> errors, String kind) throws Refused {
    if (!errors.isEmpty()) {
      var optionsKind = new GroupVersionKind("meta.k8s.io", "v1", kind);
      throw new Refused(RefusalStatus.invalid(optionsKind, "", errors), List.of());
    }
  }
}
