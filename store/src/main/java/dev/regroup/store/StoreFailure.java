package dev.regroup.store;

import org.jspecify.annotations.Nullable;

/**
 * The disk refused, or what is on it cannot be read. A write that ends this way may or may not be
 * there after the next start; the store takes no further writes.
 */
public class StoreFailure extends Exception {

  public StoreFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** The same failure, met again by another caller. */
  StoreFailure(StoreFailure earlier) {
    super(earlier.getMessage(), earlier);
  }
}
