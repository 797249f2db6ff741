package dev.regroup.runtime.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * Keeps a root file system ready for the next attempt of each container there is: with nine
 * overlays on a busy disk making one takes longer than all the rest of a start. They are made on
 * the thread {@code preparer}, a little after the last was taken, so that this does not slow down
 * the very restart it is for. Nothing depends on it: without a ready one it is made on the spot.
 */
final class PreparedRoots implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(PreparedRoots.class.getName());
  private static final Duration DELAY = Duration.ofMillis(250);
  private static final int SPARE = 2;
  private static final int MOST = 64;

  private final Layout layout;
  private final HostView host;
  private final Trash trash;
  private final IntSupplier containers;
  private final AtomicInteger number = new AtomicInteger();
  private final AtomicBoolean planned = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Queue<PreparedRoot> ready = new ConcurrentLinkedQueue<>();
  private final ScheduledThreadPoolExecutor preparer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("preparer").daemon(true).factory());

  /**
   * What an earlier run prepared is thrown away: its overlays ended with it.
   *
   * @param containers how many there are now, each may want another attempt at the same time
   */
  PreparedRoots(Layout layout, HostView host, Trash trash, IntSupplier containers)
      throws IOException {
    this.layout = layout;
    this.host = host;
    this.trash = trash;
    this.containers = containers;
    trash.take(layout.prepared());
    Files.createDirectories(layout.prepared());
    preparer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    plan(Duration.ZERO);
  }

  /** One that shows the host as it is now. */
  PreparedRoot take() throws IOException {
    plan(DELAY);
    for (PreparedRoot root = ready.poll(); root != null; root = ready.poll()) {
      if (host.looksLike(root.view())) {
        return root;
      }
      discard(root);
    }
    return make();
  }

  /** For one that was taken and is not needed after all. */
  void discard(PreparedRoot root) throws IOException {
    root.close();
    trash.take(root.directory());
  }

  private PreparedRoot make() throws IOException {
    Path directory = layout.prepared().resolve(Integer.toString(number.getAndIncrement()));
    try {
      return PreparedRoot.make(directory, host.snapshot());
    } catch (IOException e) {
      trash.take(directory);
      throw e;
    }
  }

  private void plan(Duration delay) {
    if (!closed.get() && planned.compareAndSet(false, true)) {
      var _ = preparer.schedule(this::fill, delay.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void fill() {
    planned.set(false); // before looking: what is taken from here on plans another
    try {
      while (!closed.get() && ready.size() < Math.min(containers.getAsInt() + SPARE, MOST)) {
        ready.add(make());
      }
    } catch (IOException | RuntimeException e) { // a start that needs one will say so
      LOG.log(System.Logger.Level.DEBUG, "cannot prepare the next attempt", e);
    }
  }

  @Override
  public void close() {
    closed.set(true);
    preparer.shutdown();
    try {
      if (!preparer.awaitTermination(30, TimeUnit.SECONDS)) {
        return; // it hangs in the kernel; the descriptors end with this program
      }
      for (PreparedRoot root = ready.poll(); root != null; root = ready.poll()) {
        discard(root);
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot empty " + layout.prepared() + ": " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
