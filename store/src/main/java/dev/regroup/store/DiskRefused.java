package dev.regroup.store;

/**
 * The disk refuses writes, now. This one was not done, others may be later: the store tries the
 * disk again with a later write. The message says which disk and what to do.
 */
public final class DiskRefused extends StoreFailure {

  private final boolean full;

  DiskRefused(String message, Throwable cause, boolean full) {
    super(message, cause);
    this.full = full;
  }

  DiskRefused(DiskRefused earlier) {
    super(earlier);
    this.full = earlier.full;
  }

  /** Whether it lacks room: what may use the reserve can still be done. */
  public boolean full() {
    return full;
  }
}
