package dev.regroup.node;

import java.time.Duration;

/** Doubling pauses between failed tries. For one thread. */
final class Retries {

  private final Duration first;
  private final Duration longest;
  private Duration next;

  Retries(Duration first, Duration longest) {
    this.first = first;
    this.longest = longest;
    this.next = first;
  }

  /** A failed effect is tried again after 100 ms, then 200 ms, up to 10 s. */
  static Retries ofEffects() {
    return new Retries(Duration.ofMillis(100), Duration.ofSeconds(10));
  }

  Duration next() {
    var pause = next;
    var doubled = next.multipliedBy(2);
    next = doubled.compareTo(longest) < 0 ? doubled : longest;
    return pause;
  }

  void reset() {
    next = first;
  }
}
