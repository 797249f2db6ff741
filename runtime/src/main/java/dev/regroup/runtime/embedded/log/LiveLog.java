package dev.regroup.runtime.embedded.log;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.RunOutput;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The log of a container that runs: how far it is known, where it begins, when it grew. Its monitor
 * guards the fields and signals every change. Any thread may look; only one at a time may rotate.
 */
public final class LiveLog {

  private static final System.Logger LOG = System.getLogger(LiveLog.class.getName());

  /** Times are this exact: 100 ms. More would make an index grow like its log. */
  private static final Duration PRECISION = Duration.ofMillis(100);

  private final Path file;
  private final LogRetention retention;
  private final InstantSource clock;
  private long begin;
  private long size;
  private Instant noted = Instant.MIN;
  private @Nullable Instant first; // byte seen
  private Instant last = Instant.MIN; // byte seen
  private long changes;
  private boolean ended;
  private boolean rotates = true;

  public LiveLog(Path file, LogRetention retention, InstantSource clock) throws IOException {
    this.file = file;
    this.retention = retention;
    this.clock = clock;
    this.begin = LogHole.end(file);
    this.size = Files.size(file);
    LogIndex.dropIfBeyond(file, size);
    if (size > 0) { // it wrote before anybody looked
      try (var index = new LogIndex(file, clock.instant())) {
        first = index.time(0);
        last = index.time(size - 1);
      }
    }
  }

  /** What lies before this offset is gone or goes at any moment, and reads as zeros then. */
  public synchronized long begin() {
    return begin;
  }

  /** How far the log was seen; all of it has a time. */
  synchronized long size() {
    return size;
  }

  synchronized long changes() {
    return changes;
  }

  synchronized boolean ended() {
    return ended;
  }

  /** Waits until there was another change than this one, or the container has ended. */
  synchronized void awaitChange(long since) throws InterruptedException {
    while (changes == since && !ended) {
      wait();
    }
  }

  /** Lets those who wait for a change look whether they still want to. */
  synchronized void wakeReaders() {
    changes++;
    notifyAll();
  }

  /** What was written; empty if nothing was. */
  synchronized Optional<RunOutput> written(ContainerKey key) {
    return first == null
        ? Optional.empty()
        : Optional.of(new LoggedOutput(key, file, first, last, size));
  }

  /** Notes how far the log has grown. */
  synchronized void look() {
    try {
      long now = Files.size(file);
      if (now == size) {
        return;
      }
      last = clock.instant();
      first = first == null ? last : first;
      long seen = size;
      size = now; // whatever fails below, what is there can be read
      if (now > seen) {
        noteTime(seen);
      } else { // the program emptied its own output, and the hole went with it
        begin = LogHole.end(file);
        LogIndex.drop(file);
        noted = Instant.MIN;
      }
    } catch (IOException e) { // the pod may be gone already; times are a comfort
      LOG.log(System.Logger.Level.DEBUG, "cannot note the growth of " + file, e);
    }
    changes++;
    notifyAll();
  }

  private void noteTime(long offset) throws IOException {
    Instant now = last;
    if (now.minus(PRECISION).isAfter(noted) || now.isBefore(noted)) {
      LogIndex.append(file, offset, now);
      noted = now;
    }
  }

  /** Whether {@link #rotate} has something to do. */
  synchronized boolean isTooLong() {
    return rotates && retention.begin(begin, size) != begin;
  }

  /** Gives the oldest part back to the file system if there is more than is to be kept. */
  void rotate() {
    long old;
    long next;
    synchronized (this) {
      if (!isTooLong()) {
        return;
      }
      old = begin;
      next = retention.begin(begin, size);
      begin = next; // INVARIANT: before the hole, so that no reader takes its zeros for a line
    }
    try {
      LogHole.punch(file, next);
    } catch (SyscallFailure e) {
      refused(e, old);
      return;
    }
    try {
      LogIndex.trim(file, next);
    } catch (IOException e) { // it only grows a little more
      LOG.log(System.Logger.Level.DEBUG, "cannot rotate the index of " + file, e);
    }
  }

  private synchronized void refused(SyscallFailure why, long old) {
    if (why.errno() == Errno.ENOENT || why.errno() == Errno.EINTR) {
      return; // the pod is gone; or the next step does it
    }
    rotates = false;
    if (why.errno() == Errno.EOPNOTSUPP) {
      begin = old; // nothing was lost
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "cannot rotate the log %s, it grows without limit: %s".formatted(file, why.getMessage()));
  }

  /** The container has ended: what is there is all. */
  public synchronized void end() {
    look();
    stopFollowing();
  }

  /** Whoever follows ends with what was seen. */
  synchronized void stopFollowing() {
    ended = true;
    notifyAll();
  }

  /**
   * One look at the log of a container that does not run: it may have grown while nobody looked.
   */
  public static void rotateEnded(Path file, LogRetention retention, InstantSource clock)
      throws IOException {
    try {
      if (Files.size(file) > retention.keep() + retention.stride()) {
        new LiveLog(file, retention, clock).rotate();
      }
    } catch (NoSuchFileException e) {
      return; // it was never started
    }
  }
}
