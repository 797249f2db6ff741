package dev.regroup.node.pod;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets the starts of containers on this node go before the reports that they run: when a group goes
 * on, all its pods start within milliseconds, nobody waits for the report of the first, and writing
 * it would take the processor from the start of the last. No report waits for long.
 */
public final class StartsFirst {

  /** Starts that take longer do not hold up what others have to tell. */
  static final Duration PATIENCE = Duration.ofMillis(25);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition none = lock.newCondition();
  private int underWay;

  public void begin() {
    lock.lock();
    try {
      underWay++;
    } finally {
      lock.unlock();
    }
  }

  public void end() {
    lock.lock();
    try {
      if (--underWay == 0) {
        none.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no start is under way, or patience is over. */
  public void awaitNone() throws InterruptedException {
    long left = PATIENCE.toNanos();
    lock.lockInterruptibly();
    try {
      while (underWay > 0 && left > 0) {
        left = none.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }
}
