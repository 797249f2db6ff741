package dev.regroup.runtime.linux;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An open file descriptor with one owner. Made close-on-exec by every method that returns one, so a
 * program started elsewhere in this process never inherits it.
 */
public final class Fd implements AutoCloseable {

  private final int number;
  private final AtomicBoolean open = new AtomicBoolean(true);

  public Fd(int number) {
    this.number = number;
  }

  public int number() {
    if (!open.get()) {
      throw new IllegalStateException("descriptor " + number + " is closed");
    }
    return number;
  }

  public boolean isOpen() {
    return open.get();
  }

  /** Closes it once; later calls do nothing, because the number may belong to another by then. */
  @Override
  public void close() {
    if (open.compareAndSet(true, false)) {
      Native.syscall(Syscall.CLOSE, number, 0, 0, 0, 0, 0);
    }
  }

  @Override
  public String toString() {
    return "fd " + number;
  }
}
