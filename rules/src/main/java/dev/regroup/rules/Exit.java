package dev.regroup.rules;

import java.util.Objects;

/**
 * What rules may know about one exit of a container.
 *
 * @param code the exit code; a signal arrives as 128 + n (DEC-04)
 * @param restarts how often the container was restarted in its restart epoch (COND-02)
 */
public record Exit(int code, Cause cause, int restarts) {

  /** Why the process ended, as far as a condition can ask. */
  public enum Cause {
    ORDINARY,
    OUT_OF_MEMORY
  }

  public Exit {
    Objects.requireNonNull(cause, "cause");
  }

  public static Exit of(int code) {
    return new Exit(code, Cause.ORDINARY, 0);
  }
}
