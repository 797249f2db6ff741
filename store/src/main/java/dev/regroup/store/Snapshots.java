package dev.regroup.store;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes snapshots in the background, on the thread {@code disk-snapshot}, one at a time. One that
 * fails is only a log that stays longer: the next is tried when the log has grown by as much again.
 */
final class Snapshots {

  private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

  private final FileLayer files;
  private final Log log;
  private final long atLeast;
  private volatile boolean stopping;
  private volatile long notBelow;
  private volatile @Nullable Thread running;

  Snapshots(FileLayer files, Log log, Settings settings) {
    this.files = files;
    this.log = log;
    this.atLeast = settings.snapshotAfter();
  }

  /** Whether the log has outgrown the live data. Asked and begun by one thread. */
  boolean due(long logBytes, long liveBytes) {
    var thread = running;
    return (thread == null || !thread.isAlive())
        && logBytes > atLeast
        && logBytes > 2 * liveBytes
        && logBytes > notBelow;
  }

  /** Writes this state; the log must already go on in a new segment. */
  void begin(State state, Map<Expiry.Due, Long> times) {
    running = Thread.ofPlatform().name("disk-snapshot").daemon().start(() -> take(state, times));
  }

  private void take(State state, Map<Expiry.Due, Long> times) {
    try {
      boolean written =
          Snapshot.write(
              files,
              state,
              entry -> times.getOrDefault(new Expiry.Due(entry.collection(), entry.key()), 0L),
              () -> stopping);
      if (written) {
        log.forget(state.revision());
        Snapshot.tidy(files);
        notBelow = 0;
      }
    } catch (IOException | RuntimeException e) {
      notBelow = log.bytes() + Math.max(atLeast, state.bytes());
      LOG.warn("A snapshot could not be written; the log is kept instead", e);
    }
  }

  /** Gives up the snapshot under way and waits until its thread has ended. */
  void close() {
    stopping = true;
    var thread = running;
    boolean interrupted = false;
    while (thread != null && thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true; // an interrupt would close the file under the writer's hands
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
