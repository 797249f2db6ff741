package dev.regroup.cli;

/** An error for the person at the terminal: what is wrong and what to do. Never a stack trace. */
public final class CliFailure extends Exception {

  /** Exit codes, as documented in the README. */
  enum Code {
    FAILED(1),
    USAGE(2),
    NOT_FOUND(3),
    TIMED_OUT(4);

    private final int number;

    Code(int number) {
      this.number = number;
    }

    int number() {
      return number;
    }
  }

  private final Code code;

  CliFailure(String message) {
    this(Code.FAILED, message, null);
  }

  CliFailure(String message, @org.jspecify.annotations.Nullable Throwable cause) {
    this(Code.FAILED, message, cause);
  }

  CliFailure(Code code, String message, @org.jspecify.annotations.Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  Code code() {
    return code;
  }
}
