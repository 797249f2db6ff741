package dev.regroup.cli.check;

import static java.util.Objects.requireNonNull;

/**
 * One thing to tell the author of a manifest.
 *
 * @param field path as Kubernetes prints it, empty for the object as a whole
 * @param message what is wrong and, in parentheses, what to do
 */
public record Finding(Severity severity, String field, String message) {

  /** Whether the manifest can be used. */
  public enum Severity {
    ERROR("error"),
    WARNING("warning");

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
    requireNonNull(message, "message");
  }

  public static Finding error(String field, String message) {
    return new Finding(Severity.ERROR, field, message);
  }

  public static Finding warning(String field, String message) {
    return new Finding(Severity.WARNING, field, message);
  }

  public boolean isError() {
    return severity == Severity.ERROR;
  }

  /** The same finding about a field below another object's field. */
  Finding below(String prefix) {
    return new Finding(severity, prefix + field, message);
  }
}
