package dev.regroup.control.nodes;

import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.Ticker;
import dev.regroup.client.queue.WorkQueue;
import dev.regroup.rules.node.WakingTime;
import java.time.Duration;

/**
 * Time as far as this program was awake: a laptop that slept, or a program that was stopped, heard
 * nobody, and nobody is lost for that. It looks at its ticker once per period; a gap of more than
 * three counts for nothing. For any thread.
 */
public final class Awake implements AutoCloseable {

  private static final int MOST_PERIODS = 3;

  private final Ticker ticker;
  private final Duration longest;
  private final WorkQueue<String> queue;
  private WakingTime time; // guarded by this

  public Awake(SharedFeeds feeds, Duration period) {
    this(feeds, period, Ticker.SYSTEM);
  }

  Awake(SharedFeeds feeds, Duration period, Ticker ticker) {
    this.ticker = ticker;
    this.longest = period.multipliedBy(MOST_PERIODS);
    this.time = WakingTime.from(ticker.nanos());
    this.queue =
        feeds
            .<String>loop("awake", 1)
            .run(_ -> {
              now();
              return Outcome.tryAgain(period, "time passes");
            });
    queue.add("clock");
  }

  /** How long it has been awake. Rises only. */
  public synchronized Duration now() {
    time = time.at(ticker.nanos(), longest);
    return time.total();
  }

  @Override
  public void close() {
    queue.close();
  }
}
