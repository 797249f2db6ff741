package dev.regroup.runtime.embedded.files;

import dev.regroup.runtime.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Takes directories away at once, by renaming them, and deletes them in the background on the
 * thread {@code sweeper}. What a crash leaves here is deleted at the next start.
 *
 * <p>The deletion waits a little: right after a removal comes a start, and a file system that is
 * busy deleting makes new directories slowly (ext4 looks for inodes that were not deleted lately).
 */
public final class Trash implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(Trash.class.getName());
  private static final Duration DELAY = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Path directory;
  private final Deletion deletion;
  private final AtomicBoolean planned = new AtomicBoolean();
  private final ScheduledThreadPoolExecutor sweeper =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("sweeper").daemon(true).factory());

  /** Deletes one thing that was taken. */
  interface Deletion {
    void delete(Path tree) throws IOException;
  }

  public Trash(Path directory) throws IOException {
    this(directory, FileTrees::delete);
  }

  Trash(Path directory, Deletion deletion) throws IOException {
    this.directory = directory;
    this.deletion = deletion;
    sweeper.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    Files.createDirectories(directory);
    plan();
  }

  /** Gone when this returns; a directory that is not there is fine. */
  public void take(Path path) throws IOException {
    try {
      Files.move(
          path,
          directory.resolve(path.getFileName() + "-" + UUID.randomUUID()),
          StandardCopyOption.ATOMIC_MOVE);
    } catch (NoSuchFileException e) {
      return;
    }
    plan();
  }

  /** Empties the trash now; what takes longer than half a minute is left to the next start. */
  @Override
  public void close() {
    close(PATIENCE);
  }

  /** Empties the trash now; what takes longer than {@code patience} is left to the next start. */
  public void close(Duration patience) {
    sweeper.execute(this::sweep);
    sweeper.shutdown();
    try {
      if (!sweeper.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        sweeper.shutdownNow();
      }
    } catch (InterruptedException e) {
      sweeper.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private void plan() {
    if (planned.compareAndSet(false, true)) {
      var _ = sweeper.schedule((Runnable) this::sweep, DELAY.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void sweep() {
    planned.set(false); // before looking: what comes from here on plans another sweep
    try (var entries = Files.list(directory)) {
      for (Path entry : entries.toList()) {
        if (Thread.interrupted()) {
          return;
        }
        sweep(entry);
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot empty " + directory + ": " + e);
    }
  }

  private void sweep(Path entry) {
    try {
      deletion.delete(entry);
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot delete " + entry + " now: " + e);
      if (!sweeper.isShutdown()) {
        plan();
      }
    }
  }
}
