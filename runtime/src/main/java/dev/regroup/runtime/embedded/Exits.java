package dev.regroup.runtime.embedded;

import dev.regroup.runtime.linux.Epoll;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Inotify;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The thread {@code exits}: waits for processes to end and for state files to be written, and lets
 * the owner look. A container's end is seen by its exit file, which the supervisor writes the
 * moment the command is gone; the supervisor's own end comes later, after the kernel has taken the
 * mounts down, and is the safety net for a supervisor that was killed.
 *
 * <p>Watching is safe from any thread. INVARIANT: who watches looks once afterwards, for what
 * happened before the watch.
 */
final class Exits implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(Exits.class.getName());
  private static final long WAKE = 0;
  private static final long FILES = 1;

  private final Epoll epoll = new Epoll();
  private final Inotify inotify = new Inotify();
  private final Fd wake = Linux.eventFd();
  private final AtomicLong tokens = new AtomicLong(FILES);
  private final Map<Long, Runnable> processes = new ConcurrentHashMap<>();
  private final Map<Integer, Runnable> directories = new ConcurrentHashMap<>();
  private final Thread thread = Thread.ofPlatform().name("exits").daemon(true).unstarted(this::run);
  private volatile boolean closed;

  Exits() throws SyscallFailure {
    epoll.add(wake, WAKE);
    epoll.add(inotify.fd(), FILES);
  }

  void start() {
    thread.start();
  }

  /** Something that is watched; closing it ends that, before its descriptor is closed. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }

  /** Calls back, again and again, from when the process has ended. */
  Watch process(Fd pidfd, Runnable ended) throws SyscallFailure {
    long token = tokens.incrementAndGet();
    processes.put(token, ended);
    epoll.add(pidfd, token);
    return () -> {
      processes.remove(token);
      if (!closed) {
        epoll.remove(pidfd);
      }
    };
  }

  /** Calls back when a file right in this directory was written. */
  Watch directory(Path directory, Runnable written) throws SyscallFailure {
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
        for (long token : epoll.await()) {
          if (token == FILES) {
            files();
          } else if (token != WAKE) {
            look(processes.get(token));
          }
        }
      } catch (SyscallFailure e) {
        throw new IllegalStateException("cannot wait for exits", e);
      }
    }
  }

  private void files() throws SyscallFailure {
    for (int watch : inotify.read()) {
      if (watch == Inotify.OVERFLOW) {
        List.copyOf(directories.values()).forEach(Exits::look);
      } else {
        look(directories.get(watch));
      }
    }
  }

  private static void look(@org.jspecify.annotations.Nullable Runnable owner) {
    if (owner == null) {
      return; // forgotten meanwhile
    }
    try {
      owner.run();
    } catch (RuntimeException e) { // one owner's bug must not blind all others
      LOG.log(System.Logger.Level.ERROR, "looking after an exit failed", e);
    }
  }

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
    epoll.close();
    inotify.close();
    wake.close();
  }
}
