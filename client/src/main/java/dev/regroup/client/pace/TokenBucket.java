package dev.regroup.client.pace;

/**
 * How many requests may go out: a burst at once, then so many in a second. Whoever comes takes the
 * next token, also one that is not there yet, and is told how long to wait for it; so nobody is
 * overtaken. Any thread; the time comes in.
 */
final class TokenBucket {

  private static final double SECOND = 1e9;

  private final double perNano;
  private final double burst;
  private double tokens; // guarded by this; negative for those that are waited for
  private long seen; // guarded by this

  /**
   * @param perSecond how fast tokens come back
   * @param burst how many there are at most
   */
  TokenBucket(double perSecond, int burst, long now) {
    if (perSecond <= 0 || burst < 1) {
      throw new IllegalArgumentException(
          "a rate above 0 and a burst of at least 1 are needed, got %s and %d"
              .formatted(perSecond, burst));
    }
    this.perNano = perSecond / SECOND;
    this.burst = burst;
    this.tokens = burst;
    this.seen = now;
  }

  /** Takes a token and returns how many nanoseconds it is away. */
  synchronized long take(long now) {
    tokens = Math.min(burst, tokens + Math.max(0, now - seen) * perNano);
    seen = Math.max(seen, now);
    tokens -= 1;
    return tokens >= 0 ? 0 : (long) Math.ceil(-tokens / perNano);
  }
}
