package dev.regroup.agent;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait after a failure: a random part, so that the agents of a group do not come back
 * at the same moment, and a part that doubles up to five seconds (JS-162). Used by one thread.
 */
final class Retry {

  private static final int SPREAD_MILLIS = 100;
  private static final int FIRST_MILLIS = 50;
  private static final int CAP_MILLIS = 5_000;

  private int failures;

  void succeeded() {
    failures = 0;
  }

  /** The pause before the next try; none but the random part after the first failure. */
  long nextMillis() {
    long doubled = failures == 0 ? 0 : (long) FIRST_MILLIS << Math.min(failures, 10);
    failures++;
    return Math.min(CAP_MILLIS, doubled + ThreadLocalRandom.current().nextInt(SPREAD_MILLIS));
  }

  /** Whether this is the first failure in a row: the one worth a line. */
  boolean first() {
    return failures == 0;
  }
}
