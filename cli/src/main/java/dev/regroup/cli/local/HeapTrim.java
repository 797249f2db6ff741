package dev.regroup.cli.local;

import java.lang.ref.Cleaner;
import java.time.Duration;

/**
 * Keeps the heap near what is in use. The serial collector would rather let the old generation grow
 * than look into it, so a burst of a thousand agents would leave hundreds of megabytes behind. Here
 * every small collection is noticed (it clears an object nobody holds), and when twice of what was
 * in use after the last full one is reached, a full one is asked for, which gives memory back to
 * the machine. Nothing happens below a floor, nor twice within a few seconds.
 */
final class HeapTrim implements AutoCloseable {

  private static final long FLOOR = 160L << 20; // 160 MiB
  private static final long APART = Duration.ofSeconds(5).toNanos();

  private final Cleaner cleaner = Cleaner.create();
  private final Runtime runtime = Runtime.getRuntime();
  private volatile boolean closed;
  private long limit = FLOOR; // this and the next: only the cleaner's thread
  private long last = System.nanoTime();

  private HeapTrim() {}

  static HeapTrim start() {
    var trim = new HeapTrim();
    trim.awaitCollection();
    return trim;
  }

  @Override
  public void close() {
    closed = true;
  }

  private void awaitCollection() {
    cleaner.register(new Object(), this::collected);
  }

  private void collected() {
    if (closed) {
      return;
    }
    if (used() > limit && System.nanoTime() - last > APART) {
      System.gc();
      last = System.nanoTime();
      limit = Math.max(FLOOR, 2 * used());
    }
    awaitCollection();
  }

  private long used() {
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
