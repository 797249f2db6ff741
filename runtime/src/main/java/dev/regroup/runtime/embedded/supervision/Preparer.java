package dev.regroup.runtime.embedded.supervision;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The thread {@code preparer}: makes ready what later starts will need, a little after the last
 * start, so that this does not slow down the very restart it is for.
 */
public final class Preparer implements AutoCloseable {

  private static final Duration DELAY = Duration.ofMillis(250);

  private final AtomicBoolean closed = new AtomicBoolean();
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("preparer").daemon(true).factory());

  public Preparer() {
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Work that is asked for often and done once in a while. */
  public final class Chore {
    private final Runnable work;
    private final AtomicBoolean planned = new AtomicBoolean();

    private Chore(Runnable work) {
      this.work = work;
    }

    public void soon() {
      after(Duration.ZERO);
    }

    public void later() {
      after(DELAY);
    }

    private void after(Duration delay) {
      if (!closed.get() && planned.compareAndSet(false, true)) {
        var _ = thread.schedule(this::work, delay.toMillis(), TimeUnit.MILLISECONDS);
      }
    }

    private void work() {
      planned.set(false); // before looking: what is asked for from here on plans another
      work.run();
    }
  }

  public Chore chore(Runnable work) {
    return new Chore(work);
  }

  /** Work that takes long asks now and then. */
  public boolean isClosed() {
    return closed.get();
  }

  /** Ends the thread; what hangs in the kernel for half a minute is left alone. */
  @Override
  public void close() {
    closed.set(true);
    thread.shutdown();
    try {
      boolean _ = thread.awaitTermination(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
