package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Inotify;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The thread {@code logs}: notes when the logs of running containers grow and wakes who follows
 * them. It never touches the content; a container writes on if this program is gone.
 */
final class Logs implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(Logs.class.getName());

  /** Times are this exact: 100 ms. More would make an index grow like its log. */
  private static final Duration PRECISION = Duration.ofMillis(100);

  /** After news the thread rests so long, so that a chatty container costs next to nothing. */
  private static final Duration REST = Duration.ofMillis(5);

  private final Inotify inotify = new Inotify();
  private final Fd wake = Linux.eventFd();
  private final InstantSource clock;
  private final Map<ContainerKey, Live> live = new ConcurrentHashMap<>();
  private final Map<Integer, Live> watches = new ConcurrentHashMap<>();
  private final Thread thread = Thread.ofPlatform().name("logs").daemon(true).unstarted(this::run);
  private volatile boolean closed;

  Logs(InstantSource clock) throws SyscallFailure {
    this.clock = clock;
  }

  void start() {
    thread.start();
  }

  /** The log of a container that runs. Its monitor guards the fields and signals every change. */
  static final class Live {
    private final Path file;
    private int watch;
    private long size;
    private Instant noted = Instant.MIN;
    private long changes;
    private boolean ended;

    private Live(Path file) {
      this.file = file;
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
  }

  /** Follows the log from now on: the container runs. */
  void running(ContainerKey key, Path file) throws IOException {
    var log = new Live(file);
    log.size = Files.size(file);
    synchronized (log) {
      live.put(key, log);
      log.watch = inotify.watch(file, Inotify.MODIFY);
      watches.put(log.watch, log);
    }
    grown(log); // for what came before the watch
  }

  /** The container has ended: what is there is all. */
  void ended(ContainerKey key) {
    var log = live.remove(key);
    if (log == null) {
      return;
    }
    grown(log);
    synchronized (log) {
      watches.remove(log.watch);
      log.ended = true;
      log.notifyAll();
    }
    if (!closed) {
      inotify.forget(log.watch);
    }
  }

  @org.jspecify.annotations.Nullable
  Live live(ContainerKey key) {
    return live.get(key);
  }

  private void run() {
    while (!closed) {
      try {
        Linux.awaitReadable(inotify.fd(), wake);
        for (int watch : inotify.read()) {
          if (watch == Inotify.OVERFLOW) {
            List.copyOf(watches.values()).forEach(this::grown);
          } else {
            var log = watches.get(watch);
            if (log != null) {
              grown(log);
            }
          }
        }
        if (!closed) {
          Thread.sleep(REST);
        }
      } catch (IOException e) {
        throw new IllegalStateException("cannot follow logs", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void grown(Live log) {
    synchronized (log) {
      try {
        long size = Files.size(log.file);
        if (size == log.size) {
          return;
        }
        Instant now = clock.instant();
        if (size > log.size && now.minus(PRECISION).isAfter(log.noted)) {
          LogIndex.append(log.file, log.size, now);
          log.noted = now;
        }
        log.size = size;
      } catch (IOException e) { // the pod may be gone already; times are a comfort
        LOG.log(System.Logger.Level.DEBUG, "cannot note the growth of " + log.file, e);
      }
      log.changes++;
      log.notifyAll();
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      byte[] one = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(1).array();
      Linux.write(wake, one);
      thread.join();
    } catch (IOException e) {
      throw new IllegalStateException("cannot end the thread logs", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    for (var log : live.values()) {
      synchronized (log) {
        log.ended = true; // followers end with the program
        log.notifyAll();
      }
    }
    inotify.close();
    wake.close();
  }
}
