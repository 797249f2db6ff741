package dev.regroup.runtime.embedded.log;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.RunOutput;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Inotify;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The thread {@code logs}: notes when the logs of running containers grow, wakes who follows them
 * and gives back the oldest part of those that grew too long. It never touches what is kept; a
 * container writes on if this program is gone.
 */
public final class Logs implements AutoCloseable {

  /** After news the thread rests so long, so that a chatty container costs next to nothing. */
  private static final Duration REST = Duration.ofMillis(5);

  private final Inotify inotify = new Inotify();
  private final Fd wake = Linux.eventFd();
  private final LogRetention retention;
  private final InstantSource clock;
  private final Map<ContainerKey, Watched> live = new ConcurrentHashMap<>();
  private final Map<Integer, Followed> watches = new ConcurrentHashMap<>();
  private final List<Consumer<RunOutput>> listeners = new CopyOnWriteArrayList<>();
  private final Queue<Followed> tooLong = new ConcurrentLinkedQueue<>();
  private final Queue<ContainerKey> endedTooLong = new ConcurrentLinkedQueue<>();
  private final Thread thread = Thread.ofPlatform().name("logs").daemon(true).unstarted(this::run);
  private volatile boolean closed;

  private record Watched(LiveLog log, int watch) {}

  private record Followed(ContainerKey key, LiveLog log) {}

  public Logs(LogRetention retention, InstantSource clock) throws SyscallFailure {
    this.retention = retention;
    this.clock = clock;
  }

  public void start() {
    thread.start();
  }

  /** Tells of every growth and of every end, from the thread that sees it. */
  public void onOutput(Consumer<RunOutput> listener) {
    listeners.add(listener);
  }

  private void tell(Followed followed) {
    if (!listeners.isEmpty()) {
      followed
          .log()
          .written(followed.key())
          .ifPresent(output -> listeners.forEach(listener -> listener.accept(output)));
    }
  }

  /** Follows the log from now on: the container runs. */
  public void running(ContainerKey key, Path file) throws IOException {
    var log = new LiveLog(file, retention, clock);
    log.rotate(); // it may have written on while no program looked
    int watch = inotify.watch(file, Inotify.MODIFY);
    var followed = new Followed(key, log);
    watches.put(watch, followed);
    live.put(key, new Watched(log, watch));
    log.look(); // for what came before the watch
    tell(followed);
    if (log.isTooLong()) { // and perhaps it writes no more
      tooLong.add(followed);
      wake();
    }
  }

  /** Looks once at the log of a container that ended while no program looked. */
  public void found(Path file) throws IOException {
    LiveLog.rotateEnded(file, retention, clock);
  }

  /** The container has ended: what is there is all. */
  public void ended(ContainerKey key) {
    var watched = live.get(key);
    if (watched == null) {
      return;
    }
    watched.log().end();
    tell(new Followed(key, watched.log()));
    watches.remove(watched.watch());
    if (closed) {
      return;
    }
    inotify.forget(watched.watch());
    if (watched.log().isTooLong()) { // not here: who sees exits must not wait for a disk
      endedTooLong.add(key);
      wake();
    } else {
      live.remove(key);
    }
  }

  public @Nullable LiveLog live(ContainerKey key) {
    var watched = live.get(key);
    return watched == null ? null : watched.log();
  }

  private void run() {
    while (!closed) {
      try {
        Linux.awaitReadable(inotify.fd(), wake);
        for (int watch : new LinkedHashSet<>(inotify.read())) { // each once, however chatty
          if (watch == Inotify.OVERFLOW) {
            List.copyOf(watches.values()).forEach(this::grown);
          } else {
            grown(watches.get(watch));
          }
        }
        otherRotations();
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

  private void grown(@Nullable Followed followed) {
    if (followed != null) { // else forgotten meanwhile
      followed.log().look();
      tell(followed);
      followed.log().rotate();
    }
  }

  private void otherRotations() throws SyscallFailure {
    awake();
    for (var next = tooLong.poll(); next != null; next = tooLong.poll()) {
      next.log().rotate();
    }
    for (var key = endedTooLong.poll(); key != null; key = endedTooLong.poll()) {
      var watched = live.get(key);
      if (watched != null) {
        watched.log().rotate();
        live.remove(key); // only now: until here a reader must know what may vanish
      }
    }
  }

  private void wake() {
    try {
      Linux.write(wake, ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(1).array());
    } catch (SyscallFailure e) {
      throw new IllegalStateException("cannot wake the thread logs", e);
    }
  }

  private void awake() throws SyscallFailure {
    try {
      Linux.read(wake, 8);
    } catch (SyscallFailure e) {
      if (e.errno() != Errno.EAGAIN) {
        throw e;
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    wake();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    live.values().forEach(watched -> watched.log().stopFollowing()); // they end with the program
    inotify.close();
    wake.close();
  }
}
