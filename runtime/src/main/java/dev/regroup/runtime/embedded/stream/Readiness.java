package dev.regroup.runtime.embedded.stream;

import dev.regroup.runtime.linux.Epoll;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The thread {@code streams}: tells who waits that a pipe or terminal can be read or written. One
 * thread for all of them, started with the first; a stream that is idle costs its descriptor.
 */
public final class Readiness implements AutoCloseable {

  private static final long WAKE = 0;

  private final Epoll epoll = new Epoll();
  private final Fd wake = Linux.eventFd();
  private final AtomicLong tokens = new AtomicLong(WAKE);
  private final Map<Long, Watched> watched = new ConcurrentHashMap<>();
  private final Thread thread =
      Thread.ofPlatform().name("streams").daemon(true).unstarted(this::run);
  private boolean started; // guarded by this, as the next
  private boolean closed;

  public Readiness() throws SyscallFailure {
    epoll.add(wake, WAKE);
  }

  /** A descriptor whose owner sometimes waits for it; for one waiting thread at a time. */
  final class Watched {
    private final Fd fd;
    private final long token;
    private final Semaphore ready = new Semaphore(0);

    private Watched(Fd fd, long token) {
      this.fd = fd;
      this.token = token;
    }

    /** Asks for these events; the owner must not close the descriptor meanwhile. */
    void arm(int events) throws IOException {
      ready.drainPermits();
      synchronized (Readiness.this) {
        if (closed) {
          throw new IOException("the runtime is closed");
        }
        epoll.arm(fd, token, events);
      }
    }

    void await() throws InterruptedException {
      ready.acquire();
    }

    /** Lets who waits look again. */
    void wake() {
      ready.release();
    }

    /** Before the descriptor is closed. */
    void forget() {
      watched.remove(token);
      synchronized (Readiness.this) {
        if (!closed) {
          epoll.remove(fd);
        }
      }
    }
  }

  Watched watch(Fd fd) throws SyscallFailure {
    var one = new Watched(fd, tokens.incrementAndGet());
    watched.put(one.token, one);
    synchronized (this) {
      if (closed) {
        watched.remove(one.token);
        throw new IllegalStateException("the runtime is closed");
      }
      if (!started) {
        started = true;
        thread.start();
      }
      try {
        epoll.addSilent(fd, one.token);
      } catch (SyscallFailure e) {
        watched.remove(one.token);
        throw e;
      }
    }
    return one;
  }

  private void run() {
    while (true) {
      try {
        for (long token : epoll.await()) {
          if (token == WAKE) {
            return; // it is told once
          }
          var one = watched.get(token);
          if (one != null) {
            one.wake();
          }
        }
      } catch (SyscallFailure e) {
        throw new IllegalStateException("cannot wait for streams", e);
      }
    }
  }

  /** Ends the thread; who waits for a stream is told that nothing will come. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    watched.values().forEach(Watched::wake);
    try {
      if (started) {
        byte[] one = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(1).array();
        Linux.write(wake, one);
        thread.join();
      }
    } catch (SyscallFailure e) {
      throw new IllegalStateException("cannot end the thread streams", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return; // the thread is a daemon and its descriptors stay open
    }
    epoll.close();
    wake.close();
  }
}
