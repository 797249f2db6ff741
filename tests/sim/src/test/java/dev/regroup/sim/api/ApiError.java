package dev.regroup.sim.api;

/** An answer that is no success, or no answer at all. */
public final class ApiError extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What went wrong. */
  public enum Reason {
    /** Nobody knows whether the request was carried out. */
    UNREACHABLE,
    NOT_FOUND,
    ALREADY_EXISTS,
    CONFLICT,
    INVALID
  }

  private final Reason reason;

  ApiError(Reason reason, String message) {
    super(reason + ": " + message, null, false, false);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }

  public boolean is(Reason other) {
    return reason == other;
  }
}
