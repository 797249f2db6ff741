package dev.regroup.api.schema;

/** A request body that cannot become an object; the message is the answer's text (400). */
public final class Undecodable extends Exception {

  private static final long serialVersionUID = 1L;

  private final String message;

  public Undecodable(String message) {
    super(message);
    this.message = message;
  }

  @Override
  public String getMessage() {
    return message;
  }
}
