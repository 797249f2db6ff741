package dev.regroup.cli.screen;

/** An error for the person at the terminal: what is wrong and what to do. Never a stack trace. */
public final class CliFailure extends Exception {

  /** Exit codes, as documented in the README. */
  public enum Code {
    FAILED(1),
    USAGE(2),
    NOT_FOUND(3),
    TIMED_OUT(4);

    private final int number;

    Code(int number) {
      this.number = number;
    }

    public int number() {
      return number;
    }
  }

  private final Code code;

  public CliFailure(String message) {
    this(Code.FAILED, message, null);
  }

  public CliFailure(String message, @org.jspecify.annotations.Nullable Throwable cause) {
    this(Code.FAILED, message, cause);
  }

  public CliFailure(Code code, String message, @org.jspecify.annotations.Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  public Code code() {
    return code;
  }
}
