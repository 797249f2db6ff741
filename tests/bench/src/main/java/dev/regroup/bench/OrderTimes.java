package dev.regroup.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Follows the two signals of a JobSet in a watch of its own and keeps when each arrived: "restart"
 * ({@code previous} rises) and "go on" ({@code current} rises).
 */
final class OrderTimes implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 30;

  private final TestCluster.Events events;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition more = lock.newCondition();
  private final Map<String, Instant> arrivals = new HashMap<>();
  private final Thread reader;

  OrderTimes(TestCluster cluster, String path, String jobSet)
      throws IOException, InterruptedException {
    this.events = cluster.watch(path, "fieldSelector=metadata.name%3D" + jobSet);
    this.reader = Thread.ofVirtual().name("group-signals").start(this::follow);
  }

  /** When everybody was told to leave this attempt. */
  Instant restart(int attempt) throws InterruptedException {
    return await("previous " + attempt);
  }

  /** When the barrier was lifted for this attempt. */
  Instant goOn(int attempt) throws InterruptedException {
    return await("current " + attempt);
  }

  @Override
  public void close() {
    events.close();
    try {
      reader.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it ends with its stream
    }
  }

  private Instant await(String signal) throws InterruptedException {
    long left = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    lock.lock();
    try {
      while (!arrivals.containsKey(signal)) {
        if (left <= 0) {
          throw new IllegalStateException("the JobSet never said " + signal + ": " + arrivals);
        }
        left = more.awaitNanos(left);
      }
      return arrivals.get(signal);
    } finally {
      lock.unlock();
    }
  }

  private void follow() {
    try {
      while (true) {
        byte[] frame = events.next();
        var at = Instant.now();
        JsonNode status = Wire.tree(frame).path("object").path("status");
        note("previous", status.path("previousInPlaceRestartAttempt"), at);
        note("current", status.path("currentInPlaceRestartAttempt"), at);
      }
    } catch (IOException | InterruptedException e) {
      // closed: what was not seen by now is never asked for
    }
  }

  private void note(String signal, JsonNode attempt, Instant at) {
    if (attempt.isMissingNode()) {
      return;
    }
    lock.lock();
    try {
      arrivals.putIfAbsent(signal + " " + attempt.asInt(), at);
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
