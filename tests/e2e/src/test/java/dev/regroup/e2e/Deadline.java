package dev.regroup.e2e;

import dev.regroup.client.Transport;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Closes a stream when its time is up, so that a read of it always ends. */
final class Deadline implements AutoCloseable {

  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread guard;

  private Deadline(Transport.Stream stream, Duration limit) {
    this.guard = Thread.ofPlatform().daemon().name("deadline").start(() -> guard(stream, limit));
  }

  static Deadline close(Transport.Stream stream, Duration limit) {
    return new Deadline(stream, limit);
  }

  @Override
  public void close() throws InterruptedException {
    done.countDown();
    guard.join();
  }

  private void guard(Transport.Stream stream, Duration limit) {
    try {
      if (!done.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        stream.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
