package dev.regroup.e2e;

import dev.regroup.client.Transport;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Closes a stream when its time is up, so that a read of it always ends. */
final class Deadline implements AutoCloseable {

  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread guard;
  private volatile boolean over;

  private Deadline(Transport.Stream stream, Duration limit) {
    this.guard = Thread.ofPlatform().daemon().name("deadline").start(() -> guard(stream, limit));
  }

  static Deadline close(Transport.Stream stream, Duration limit) {
    return new Deadline(stream, limit);
  }

  /** Whether the stream was closed because its time was up. */
  boolean isOver() {
    return over;
  }

  @Override
  public void close() throws InterruptedException {
    done.countDown();
    guard.join();
  }

  private void guard(Transport.Stream stream, Duration limit) {
    try {
      if (!done.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        over = true;
        stream.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
