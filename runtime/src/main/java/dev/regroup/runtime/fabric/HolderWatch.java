package dev.regroup.runtime.fabric;

import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;

/**
 * The thread {@code fabric-holder}: sees the holder end and has another one started. As long as
 * this program lives it keeps the namespace itself, so nobody notices; without a holder the
 * namespace would end with this program, and every pod would lose its network.
 */
final class HolderWatch implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(HolderWatch.class.getName());
  private static final Duration BEFORE_ANOTHER_TRY = Duration.ofSeconds(1);

  private final Renewal renewal;
  private final Fd wake;
  private final Thread thread;
  private volatile boolean closed;

  /** Starts another holder and returns it. */
  interface Renewal {
    FabricHolder renew() throws RuntimeFailure;
  }

  HolderWatch(FabricHolder first, Renewal renewal) throws SyscallFailure {
    this.renewal = renewal;
    this.wake = Linux.eventFd();
    this.thread =
        Thread.ofPlatform().name("fabric-holder").daemon().start(() -> watch(first.pidfd()));
  }

  /** Ends the thread; from here on the holder may end without being replaced. Idempotent. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      Linux.write(
          wake,
          ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(0, 1).array());
      thread.join();
      wake.close();
    } catch (SyscallFailure e) {
      throw new IllegalStateException("cannot end the thread fabric-holder", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the thread is a daemon and its descriptor stays open
    }
  }

  private void watch(Fd first) {
    Fd pidfd = first;
    try {
      while (true) {
        Linux.awaitReadable(pidfd, wake);
        if (closed) {
          return;
        }
        if (Linux.awaitReadable(pidfd, Duration.ZERO)) {
          pidfd = renewed(pidfd);
        }
      }
    } catch (SyscallFailure e) {
      throw new IllegalStateException("cannot watch the holder of the pod network", e);
    }
  }

  private Fd renewed(Fd ended) throws SyscallFailure {
    try {
      var fresh = renewal.renew();
      LOG.log(System.Logger.Level.INFO, "the holder of the pod network ended and was replaced");
      return fresh.pidfd();
    } catch (RuntimeFailure e) {
      LOG.log(System.Logger.Level.WARNING, "the holder of the pod network cannot be replaced", e);
      boolean _ = Linux.awaitReadable(wake, BEFORE_ANOTHER_TRY);
      return ended;
    }
  }
}
