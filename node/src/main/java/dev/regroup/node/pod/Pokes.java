package dev.regroup.node.pod;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.concurrent.Semaphore;

/** "Look again", from anybody to the one who looks. Carries no news, so pokes may be merged. */
public final class Pokes {

  private final Semaphore permits = new Semaphore(0);

  /** Any thread; never waits. */
  public void poke() {
    permits.release();
  }

  /** Forgets what came so far: the look that follows sees it all. */
  public void drain() {
    permits.drainPermits();
  }

  /** Waits for a poke or for the time to pass. */
  public void await(Duration limit) throws InterruptedException {
    permits.tryAcquire(limit.toNanos(), NANOSECONDS);
  }
}
