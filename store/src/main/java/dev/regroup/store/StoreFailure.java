package dev.regroup.store;

import org.jspecify.annotations.Nullable;

/**
 * What is on disk cannot be read or is unknown, and the store takes no further writes until it is
 * opened again; or, as {@link DiskRefused}, the disk refuses writes for a while. A write that ends
 * this way is not there, except that a crash right after it may leave it.
 */
public class StoreFailure extends Exception {

  public StoreFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** The same failure, met again by another caller. */
  StoreFailure(StoreFailure earlier) {
    super(earlier.getMessage(), earlier);
  }

  /** The same failure with a stack of its own, for one more caller. */
  StoreFailure again() {
    return this instanceof DiskRefused refused ? new DiskRefused(refused) : new StoreFailure(this);
  }
}
