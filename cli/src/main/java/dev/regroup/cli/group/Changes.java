package dev.regroup.cli.group;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.informer.Informer;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Tells that one object, or what events say about it, may have changed. Many changes are one; the
 * first look at either counts as a change.
 */
final class Changes implements AutoCloseable {

  private final Semaphore news = new Semaphore(0);
  private final Informer<String> object;
  private final Informer<String> events;
  private final long end;

  /** {@code patience}: for how long in all. */
  Changes(Transport transport, Resource<ObjectNode> resource, ObjectKey key, Duration patience) {
    this.end = System.nanoTime() + patience.toNanos();
    var named = ListQuery.in(key.namespace()).withFields("metadata.name=" + key.name());
    this.object = follow(transport, resource, named);
    this.events = follow(transport, Kinds.EVENTS, eventsAbout(key));
  }

  static ListQuery eventsAbout(ObjectKey key) {
    return ListQuery.in(key.namespace()).withFields("involvedObject.name=" + key.name());
  }

  private Informer<String> follow(
      Transport transport, Resource<ObjectNode> resource, ListQuery query) {
    return new Informer<>(transport, resource, query, _ -> "", RandomGenerator.getDefault())
        .listen(_ -> news.release())
        .start();
  }

  /** Waits for the next change; false when the time is over. */
  boolean next() throws InterruptedException {
    boolean some = news.tryAcquire(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    news.drainPermits();
    return some;
  }

  @Override
  public void close() {
    object.close();
    events.close();
  }
}
