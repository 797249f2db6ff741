package dev.regroup.runtime.embedded.stream;

import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A descriptor that is used, waited for and closed by different threads.
 *
 * <p>INVARIANT: every call with the descriptor is made under the lock and never waits, so that
 * nobody closes it under a call: its number may be another's in the next moment.
 */
final class DescriptorGate {

  private final ReentrantLock lock = new ReentrantLock();
  private final Fd fd;
  private final Readiness.Watched watched;
  private boolean closed; // guarded by lock

  /** Takes the descriptor over, also when this fails. */
  DescriptorGate(Fd fd, Readiness readiness) throws SyscallFailure {
    this.fd = fd;
    try {
      Linux.neverWait(fd);
      this.watched = readiness.watch(fd);
    } catch (SyscallFailure | RuntimeException e) {
      fd.close();
      throw e;
    }
  }

  /** A call that answers like the kernel: negative means minus errno. */
  interface Attempt {
    long with(int descriptor);
  }

  /** Repeats the call until it has an answer other than "not now"; waits in between. */
  long repeat(int events, Attempt attempt) throws IOException {
    while (true) {
      long result = once(events, attempt);
      if (result == -Errno.EAGAIN) {
        await();
      } else if (result != -Errno.EINTR) {
        return result;
      }
    }
  }

  private long once(int events, Attempt attempt) throws IOException {
    lock.lock();
    try {
      if (closed) {
        throw new IOException("the stream is closed");
      }
      long result = attempt.with(fd.number());
      if (result == -Errno.EAGAIN) {
        watched.arm(events);
      }
      return result;
    } finally {
      lock.unlock();
    }
  }

  private void await() throws InterruptedIOException {
    try {
      watched.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }

  /** Whether something can be read now, if only the end. */
  boolean isReadable() throws SyscallFailure {
    lock.lock();
    try {
      return !closed && Linux.awaitReadable(fd, Duration.ZERO);
    } finally {
      lock.unlock();
    }
  }

  /** Any thread, any number of times; whoever waits is told. */
  void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      watched.forget();
      fd.close();
    } finally {
      lock.unlock();
    }
    watched.wake();
  }
}
