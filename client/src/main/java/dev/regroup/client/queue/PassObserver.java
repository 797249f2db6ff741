package dev.regroup.client.queue;

import java.time.Duration;

/**
 * Told of every pass of a queue: for figures, and to name the slow ones. Called by the workers, so
 * it must be quick, and it may not throw.
 */
@FunctionalInterface
public interface PassObserver {

  PassObserver NONE = _ -> {};

  /** How a pass ended. */
  enum End {
    SETTLED,
    AGAIN,
    FAILED
  }

  /**
   * One look at one key.
   *
   * @param queue the name of the queue
   * @param waited from when the key could be looked at to when a worker had time
   * @param waiting how many keys still wait for a worker
   */
  record Pass(String queue, Object key, Duration waited, Duration took, int waiting, End end) {}

  void passed(Pass pass);
}
