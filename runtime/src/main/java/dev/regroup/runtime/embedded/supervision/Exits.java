package dev.regroup.runtime.embedded.supervision;

import dev.regroup.runtime.linux.Epoll;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Inotify;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.runtime.process.Child;
import dev.regroup.runtime.process.Collector;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The thread {@code exits}: waits for processes to end and for state files to be written, and lets
 * the owner look. A container's end is seen by its exit file, which the supervisor writes the
 * moment the command is gone; the supervisor's own end comes later, after the kernel has taken the
 * mounts down, and is the safety net for a supervisor that was killed. Collects every child of the
 * runtime.
 *
 * <p>An owner that fails, because descriptors or memory are short, is called again until it does
 * not: nothing else would ever tell it.
 *
 * <p>Watching is safe from any thread. INVARIANT: who watches looks once afterwards, for what
 * happened before the watch.
 */
public final class Exits implements Collector, AutoCloseable {

  private static final System.Logger LOG = System.getLogger(Exits.class.getName());
  private static final long WAKE = 0;
  private static final long FILES = 1;
  private static final Duration TRY_AGAIN = Duration.ofMillis(200);

  private final Epoll epoll = new Epoll();
  private final Inotify inotify = new Inotify();
  private final Fd wake = Linux.eventFd();
  private final AtomicLong tokens = new AtomicLong(FILES);
  private final Map<Long, Runnable> processes = new ConcurrentHashMap<>();
  private final Map<Long, Child> children = new ConcurrentHashMap<>();
  private final Map<Integer, Runnable> directories = new ConcurrentHashMap<>();
  private final Set<Runnable> failed = new LinkedHashSet<>(); // only for the thread
  private final Thread thread = Thread.ofPlatform().name("exits").daemon(true).unstarted(this::run);
  private volatile boolean closed;

  public Exits() throws SyscallFailure {
    epoll.add(wake, WAKE);
    epoll.add(inotify.fd(), FILES);
  }

  public void start() {
    thread.start();
  }

  /** Something that is watched; closing it ends that, before its descriptor is closed. */
  public interface Watch extends AutoCloseable {
    @Override
    void close();
  }

  /** Calls back from when the process has ended. */
  public Watch process(Fd pidfd, Runnable ended) throws SyscallFailure {
    long token = tokens.incrementAndGet();
    add(processes, token, ended, pidfd);
    return () -> {
      processes.remove(token);
      if (!closed) {
        epoll.remove(pidfd);
      }
    };
  }

  @Override
  public void watch(Child child) throws SyscallFailure {
    add(children, tokens.incrementAndGet(), child, child.pidfd());
  }

  /** Known before it is watched: the answer may come at once. */
  private <T> void add(Map<Long, T> map, long token, T owner, Fd pidfd) throws SyscallFailure {
    map.put(token, owner);
    try {
      epoll.add(pidfd, token);
    } catch (SyscallFailure e) {
      map.remove(token);
      throw e;
    }
  }

  /** Calls back when a file right in this directory was written. */
  public Watch directory(Path directory, Runnable written) throws SyscallFailure {
    int watch = inotify.watch(directory, Inotify.MODIFY);
    directories.put(watch, written);
    return () -> {
      directories.remove(watch);
      if (!closed) {
        inotify.forget(watch);
      }
    };
  }

  private void run() {
    while (!closed) {
      try {
        for (long token : failed.isEmpty() ? epoll.await() : epoll.await(TRY_AGAIN)) {
          if (token == FILES) {
            files();
          } else if (token != WAKE) {
            ended(token);
          }
        }
        var again = List.copyOf(failed);
        failed.clear();
        again.forEach(owner -> look(owner, System.Logger.Level.DEBUG)); // it was said once
      } catch (SyscallFailure e) {
        throw new IllegalStateException("cannot wait for exits", e);
      }
    }
  }

  private void ended(long token) {
    var child = children.remove(token);
    if (child != null) {
      epoll.remove(child.pidfd());
      look(child::collect);
    } else {
      look(processes.get(token));
    }
  }

  private void files() throws SyscallFailure {
    for (int watch : inotify.read()) {
      if (watch == Inotify.OVERFLOW) {
        List.copyOf(directories.values()).forEach(this::look);
      } else {
        look(directories.get(watch));
      }
    }
  }

  private void look(@Nullable Runnable owner) {
    if (owner != null) { // else it was forgotten meanwhile
      look(owner, System.Logger.Level.ERROR);
    }
  }

  private void look(Runnable owner, System.Logger.Level level) {
    try {
      owner.run();
    } catch (RuntimeException e) { // one owner's failure must not blind all others
      LOG.log(level, "looking after an exit failed and is tried again", e);
      failed.add(owner);
    }
  }

  /** Ends the thread; children that still run are nobody's from here on. */
  @Override
  public void close() {
    closed = true;
    try {
      byte[] one = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(1).array();
      Linux.write(wake, one);
      thread.join();
    } catch (SyscallFailure e) {
      throw new IllegalStateException("cannot end the thread exits", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return; // the thread is a daemon and its descriptors stay open
    }
    children.values().forEach(Child::letGo);
    epoll.close();
    inotify.close();
    wake.close();
  }
}
