package dev.regroup.api.cel;

/** What came of an expression: a value or, as a value too, why there is none. */
public sealed interface CelOutcome {

  /**
   * A value of CEL: a {@code Boolean}, {@code Long}, {@code String}, {@code List}, {@code Map} and
   * so on. Other expressions take it as it is.
   */
  record Value(Object value) implements CelOutcome {}

  /** In the words of Kubernetes, where it has some: {@code no such key: x}. */
  record Failure(String text) implements CelOutcome {}
}
