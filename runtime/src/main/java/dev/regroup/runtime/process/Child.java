package dev.regroup.runtime.process;

import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process this program started. From its birth on a {@link Collector} waits for its end, so it is
 * collected whoever else looks at it, whatever comes first. Safe for several threads.
 */
public final class Child {

  /** How long a killed process may take to be gone: 30 s. */
  private static final Duration AFTER_KILL = Duration.ofSeconds(30);

  private final int pid;
  private final Fd pidfd;
  private final CountDownLatch over = new CountDownLatch(1);
  private @Nullable Runnable listener;

  private Child(int pid, Fd pidfd) {
    this.pid = pid;
    this.pidfd = pidfd;
  }

  /** Hands a process that was just started to its collector; without one it does not live. */
  static Child born(int pid, Collector collector) throws SyscallFailure {
    try {
      var child = new Child(pid, Linux.pidfdOpen(pid));
      try {
        collector.watch(child);
        return child;
      } catch (SyscallFailure e) {
        child.pidfd.close();
        throw e;
      }
    } catch (SyscallFailure e) { // no descriptor is left: nobody would notice its end
      Linux.kill(pid);
      Linux.reapWaiting(pid);
      throw e;
    }
  }

  /** May be another process's when this one was collected. */
  public int pid() {
    return pid;
  }

  /** For the collector: readable from when it has ended. */
  public Fd pidfd() {
    return pidfd;
  }

  /** SIGKILL; nothing if it has ended. */
  public synchronized void kill() {
    if (pidfd.isOpen()) {
      Linux.tryKill(pidfd);
    }
  }

  /** Kills it and waits until it is collected; false if it hangs in the kernel. */
  public boolean end() {
    kill();
    return awaitEnd();
  }

  /** Waits until one that is on its way out is collected; false if it hangs in the kernel. */
  public boolean awaitEnd() {
    return awaitEnd(AFTER_KILL);
  }

  /** The same with so much patience. */
  boolean awaitEnd(Duration patience) {
    boolean interrupted = false;
    long deadline = System.nanoTime() + patience.toNanos();
    while (true) {
      try {
        return over.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        interrupted = true; // leaving would leave the process
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  /** Runs this once it was collected, on the collector's thread or, if that was earlier, here. */
  public void onEnd(Runnable ended) {
    synchronized (this) {
      if (over.getCount() > 0) {
        listener = ended;
        return;
      }
    }
    ended.run();
  }

  /** It has ended: only for the collector, and again only if the listener failed. */
  public void collect() {
    Runnable told;
    synchronized (this) {
      if (pidfd.isOpen()) {
        Linux.reap(pidfd);
        pidfd.close();
        over.countDown();
      }
      told = listener;
    }
    if (told != null) {
      told.run();
    }
  }

  /** This program goes and the process stays: only for the collector. */
  public synchronized void letGo() {
    pidfd.close();
  }
}
