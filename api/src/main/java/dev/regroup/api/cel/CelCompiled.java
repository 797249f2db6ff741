package dev.regroup.api.cel;

/** What a compiler makes of a text. */
public sealed interface CelCompiled {

  record Good(CelExpression expression) implements CelCompiled {}

  /**
   * Not an expression of this environment, or not of the wanted type.
   *
   * @param problem as Kubernetes words it: {@code compilation failed: ERROR: ...}
   */
  record Bad(String problem) implements CelCompiled {}
}
