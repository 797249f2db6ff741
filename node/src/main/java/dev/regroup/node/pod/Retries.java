package dev.regroup.node.pod;

import java.time.Duration;

/** Doubling pauses between failed tries. For one thread. */
public final class Retries {

  private final Duration first;
  private final Duration longest;
  private Duration next;

  Retries(Duration first, Duration longest) {
    this.first = first;
    this.longest = longest;
    this.next = first;
  }

  /** A failed effect is tried again after 100 ms, then 200 ms, up to 10 s. */
  public static Retries ofEffects() {
    return new Retries(Duration.ofMillis(100), Duration.ofSeconds(10));
  }

  public Duration next() {
    var pause = next;
    var doubled = next.multipliedBy(2);
    next = doubled.compareTo(longest) < 0 ? doubled : longest;
    return pause;
  }

  public void reset() {
    next = first;
  }
}
