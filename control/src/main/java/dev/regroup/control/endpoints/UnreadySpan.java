package dev.regroup.control.endpoints;

import dev.regroup.client.queue.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A pod that was ready and is not any more shows so in slices for a moment, however soon it is
 * ready again (RAC-35): who polls learns that its connections broke. A restart in place takes less
 * time than the pause between two polls.
 */
final class UnreadySpan {

  static final Duration LEAST = Duration.ofMillis(250);

  private final Map<String, Long> since = new ConcurrentHashMap<>(); // by UID
  private final Ticker ticker;

  UnreadySpan(Ticker ticker) {
    this.ticker = ticker;
  }

  void becameUnready(String uid) {
    since.put(uid, ticker.nanos());
  }

  void gone(String uid) {
    since.remove(uid);
  }

  /** How long the pod shows as not ready from now on, even if it is; zero if it does not. */
  Duration left(String uid) {
    var began = since.get(uid);
    if (began == null) {
      return Duration.ZERO;
    }
    var left = LEAST.minusNanos(ticker.nanos() - began);
    return left.isPositive() ? left : Duration.ZERO;
  }
}
