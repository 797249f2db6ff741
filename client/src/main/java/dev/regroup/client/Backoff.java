package dev.regroup.client;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Waiting times that double up to a limit, each shortened by chance by up to a half. */
public final class Backoff {

  private final Duration first;
  private final Duration longest;
  private final RandomGenerator random;
  private Duration next;

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
