package dev.regroup.store;

import java.time.Duration;

/**
 * A watcher's place in the changes of a collection. Pulled by one thread; {@link #close} may be
 * called by any. It holds no changes of its own: a watcher that is too slow gets {@link
 * Seen.Compacted}, memory never grows.
 */
public interface Cursor extends AutoCloseable {

  /**
   * Returns the next change, in order of revisions, none twice and none left out. Waits up to
   * {@code timeout} for one; a timeout of zero only looks.
   */
  CursorNews next(Duration timeout) throws InterruptedException;

  /** As {@link #next(Duration)}, without a limit: never {@link CursorNews.Quiet}. */
  CursorNews next() throws InterruptedException;

  /** Ends the watch and wakes the thread that waits in {@link #next}. */
  @Override
  void close();
}
