package dev.regroup.client;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Waiting times that double up to a limit. Where many wait for the same thing, chance shortens each
 * by up to a half. For one thread.
 */
public final class Backoff {

  private final Duration first;
  private final Duration longest;
  private final RandomGenerator random;
  private Duration next;

  /** Without chance. */
  public Backoff(Duration first, Duration longest) {
    this(first, longest, () -> 0);
  }

  public Backoff(Duration first, Duration longest, RandomGenerator random) {
    this.first = first;
    this.longest = longest;
    this.random = random;
    this.next = first;
  }

  public Duration next() {
    var wait = next;
    next = wait.multipliedBy(2).compareTo(longest) < 0 ? wait.multipliedBy(2) : longest;
    long nanos = wait.toNanos();
    return Duration.ofNanos(nanos - random.nextLong(nanos / 2 + 1));
  }

  public void reset() {
    next = first;
  }

  /** Whether there was no reason to wait since the last reset. */
  public boolean fresh() {
    return next.equals(first);
  }
}
