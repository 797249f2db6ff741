package dev.regroup.api.apply;

/** A text that should be {@code fieldsV1} is none. */
public final class BadFields extends Exception {
  private static final long serialVersionUID = 1L;

  BadFields(String message) {
    super(message);
  }
}
