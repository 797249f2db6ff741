package dev.regroup.api.apply;

/** An applied configuration does not fit the schema of its kind. */
public final class NotOfKind extends Exception {
  private static final long serialVersionUID = 1L;

  NotOfKind(String message) {
    super(message);
  }
}
