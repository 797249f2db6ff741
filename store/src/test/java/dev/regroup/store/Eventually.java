package dev.regroup.store;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for a fact, with a deadline. */
final class Eventually {

  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private Eventually() {}

  public static void holds(String fact, BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + DEADLINE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within %s: %s".formatted(DEADLINE, fact));
      }
      Thread.sleep(Duration.ofMillis(1));
    }
  }
}
