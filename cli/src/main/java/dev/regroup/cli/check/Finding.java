package dev.regroup.cli.check;

import static java.util.Objects.requireNonNull;

/**
 * One thing to tell the author of a manifest.
 *
 * @param field path as Kubernetes prints it, empty for the object as a whole
 * @param problem what is wrong
 * @param hint what to do, empty when there is nothing to add
 */
public record Finding(Severity severity, String field, String problem, String hint) {

  /** Whether the manifest can be used. */
  public enum Severity {
    ERROR("error"),
    WARNING("warning"),
    NOTE("note");

    private final String word;

    Severity(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }
  }

  public Finding {
    requireNonNull(severity, "severity");
    requireNonNull(field, "field");
    requireNonNull(problem, "problem");
    requireNonNull(hint, "hint");
  }

  public static Finding error(String field, String problem) {
    return new Finding(Severity.ERROR, field, problem, "");
  }

  public static Finding error(String field, String problem, String hint) {
    return new Finding(Severity.ERROR, field, problem, hint);
  }

  public static Finding warning(String field, String problem) {
    return new Finding(Severity.WARNING, field, problem, "");
  }

  public static Finding warning(String field, String problem, String hint) {
    return new Finding(Severity.WARNING, field, problem, hint);
  }

  /** Nothing is wrong, but the author may want to know. */
  public static Finding note(String field, String text) {
    return new Finding(Severity.NOTE, field, text, "");
  }

  public boolean isError() {
    return severity == Severity.ERROR;
  }

  /** The problem, with the hint in parentheses. */
  public String message() {
    return hint.isEmpty() ? problem : problem + " (" + hint + ")";
  }

  /** The same finding about a field below another object's field. */
  Finding below(String prefix) {
    return new Finding(severity, prefix + field, problem, hint);
  }
}
