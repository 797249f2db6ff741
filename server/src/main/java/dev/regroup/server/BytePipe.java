package dev.regroup.server;

import dev.regroup.server.wire.Duplex;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Bytes from one thread to another, piece by piece. A writer waits while too many pieces are
 * unread. Two pipes make a {@link Duplex}.
 */
final class BytePipe {
  private static final int MOST_PIECES = 16;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<byte[]> pieces = new ArrayDeque<>(); // guarded by lock, as the rest
  private boolean ended;
  private boolean abandoned;

  byte @Nullable [] read() throws IOException, InterruptedException {
    lock.lockInterruptibly();
    try {
      while (pieces.isEmpty() && !ended && !abandoned) {
        changed.await();
      }
      if (abandoned) {
        throw new EOFException("this end is closed");
      }
      changed.signalAll();
      return pieces.poll();
    } finally {
      lock.unlock();
    }
  }

  void write(byte[] bytes) throws IOException, InterruptedException {
    lock.lockInterruptibly();
    try {
      while (pieces.size() >= MOST_PIECES && !ended && !abandoned) {
        changed.await();
      }
      if (ended || abandoned) {
        throw new EOFException("nobody listens, or the end was said");
      }
      pieces.add(bytes.clone());
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The writer has said everything; what it said can still be read. */
  void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The reader listens no more. */
  void abandon() {
    lock.lock();
    try {
      abandoned = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The end that reads from one pipe and writes to the other. */
  static Duplex end(BytePipe in, BytePipe out) {
    return new Duplex() {
      @Override
      public byte @Nullable [] read() throws IOException, InterruptedException {
        return in.read();
      }

      @Override
      public void write(byte[] bytes) throws IOException, InterruptedException {
        out.write(bytes);
      }

      @Override
      public void endOutput() {
        out.end();
      }

      @Override
      public void close() {
        in.abandon();
        out.end();
      }
    };
  }
}
