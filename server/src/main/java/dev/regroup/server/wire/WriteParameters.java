package dev.regroup.server.wire;

import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.schema.GroupVersionKind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What the query of a write says: dry run, and what becomes of unknown fields. */
public record WriteParameters(boolean dryRun, FieldValidation fieldValidation) {
  /** A field manager has a name of at most so many bytes. */
  public static final int LONGEST_MANAGER = 128;

  private static final FieldPath FIELD_MANAGER = FieldPath.of("fieldManager");
  private static final FieldPath FORCE = FieldPath.of("force");

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
    return of(query, kind, new ArrayList<>());
  }

  /** The query of a patch that applies a configuration. */
  public static WriteParameters ofApply(RequestQuery query) throws Refused {
    var errors = new ArrayList<FieldError>();
    if (query.text("fieldManager").isEmpty()) {
      errors.add(FieldError.required(FIELD_MANAGER, "is required for apply patch"));
    }
    return of(query, "PatchOptions", errors);
  }

  /** The query of any other patch. */
  public static WriteParameters ofPatch(RequestQuery query) throws Refused {
    var errors = new ArrayList<FieldError>();
    if (!query.all("force").isEmpty()) {
      errors.add(FieldError.forbidden(FORCE, "may not be specified for non-apply patch"));
    }
    return of(query, "PatchOptions", errors);
  }

  private static WriteParameters of(RequestQuery query, String kind, List<FieldError> errors)
      throws Refused {
    checkManager(query.text("fieldManager"), errors);
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

  private static void checkManager(String name, List<FieldError> errors) {
    if (name.getBytes(StandardCharsets.UTF_8).length > LONGEST_MANAGER) {
      errors.add(FieldError.tooLong(FIELD_MANAGER, LONGEST_MANAGER));
    }
    int at = 0;
    for (int c : name.codePoints().toArray()) {
      if (!isPrintable(c)) {
        errors.add(
            FieldError.invalid(
                FIELD_MANAGER, name, "invalid character U+%04X (at position %d)".formatted(c, at)));
        return;
      }
      at += Character.toString(c).getBytes(StandardCharsets.UTF_8).length;
    }
  }

  /** Whether the character may stand in the name of a field manager. */
  public static boolean isPrintable(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      case Character.SPACE_SEPARATOR -> character == ' ';
      default -> true;
    };
  }

  /** Whether an applied configuration takes fields from their owners. */
  public static boolean force(RequestQuery query) {
    var text = query.text("force");
    return !text.isEmpty() && !text.equals("false") && !text.equals("0");
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
