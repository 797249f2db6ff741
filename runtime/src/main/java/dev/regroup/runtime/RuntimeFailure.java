package dev.regroup.runtime;

import org.jspecify.annotations.Nullable;

/** The runtime could not do what was asked. The owner of the pod decides whether to try again. */
public final class RuntimeFailure extends Exception {

  /** What the caller can do about it. */
  public enum Kind {
    /** The command could not be run; a record with code 128 exists and says why (DEC-05). */
    START_ERROR,
    /** There is a record under this key already: nothing was started. */
    ALREADY_EXISTS,
    /** No such sandbox, container or log. */
    NOT_FOUND,
    /** The call does not fit the state: a start without a sandbox, a removal of a running one. */
    WRONG_STATE,
    /** It did not happen in time and may still happen. */
    TIMED_OUT,
    /** The machine refused: files, memory, kernel. */
    SYSTEM
  }

  private final Kind kind;

  public RuntimeFailure(Kind kind, String message) {
    this(kind, message, null);
  }

  public RuntimeFailure(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
