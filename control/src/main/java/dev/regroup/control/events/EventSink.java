package dev.regroup.control.events;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Codec;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes events of one component on a thread of its own, so that nobody waits for them. The same
 * event again raises the count of the first. When too many wait, the newest are dropped: events are
 * news for people, never input.
 */
public final class EventSink implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(EventSink.class);
  private static final Resource<ObjectNode> EVENTS =
      Resource.namespaced("", "v1", "events", Codec.TREE);
  private static final int WAITING = 4_096;
  private static final int REMEMBERED = 1_024;

  /** What an event is about. */
  public record Subject(
      String apiVersion, String kind, String namespace, String name, String uid) {}

  private record News(Subject subject, String type, String reason, String message) {}

  private record Written(String name, int count) {}

  private final ApiClient client;
  private final String component;
  private final String action;
  private final InstantSource clock;
  private final ArrayBlockingQueue<News> waiting = new ArrayBlockingQueue<>(WAITING);
  private final Map<News, Written> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<News, Written> eldest) {
          return size() > REMEMBERED;
        }
      };
  private final AtomicLong dropped = new AtomicLong();
  private final Thread writer;

  public EventSink(Transport transport, String component, InstantSource clock) {
    this(transport, component, "", clock);
  }

  /**
   * @param action what the component was doing; empty for none
   */
  public EventSink(Transport transport, String component, String action, InstantSource clock) {
    this.action = action;
    this.client = new ApiClient(transport);
    this.component = component;
    this.clock = clock;
    this.writer = Thread.ofVirtual().name("events-" + component).start(this::write);
  }

  public static Subject pod(ObjectKey key, String uid) {
    return new Subject("v1", "Pod", key.namespace(), key.name(), uid);
  }

  public void normal(Subject subject, String reason, String message) {
    offer(new News(subject, "Normal", reason, message));
  }

  public void warning(Subject subject, String reason, String message) {
    offer(new News(subject, "Warning", reason, message));
  }

  /** Drops what still waits. */
  @Override
  public void close() {
    writer.interrupt();
    try {
      writer.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void offer(News news) {
    if (!waiting.offer(news) && dropped.incrementAndGet() == 1) {
      LOG.warn("{}: events are dropped, more than {} wait", component, WAITING);
    }
  }

  private void write() {
    try {
      while (true) {
        var news = waiting.take();
        try {
          write(news);
        } catch (ApiFailure | Transport.Unreachable e) {
          LOG.debug("{}: event {} not written: {}", component, news.reason(), e.getMessage());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // close() was called
    }
  }

  private void write(News news) throws ApiFailure, Transport.Unreachable, InterruptedException {
    var now = clock.instant();
    String seconds = now.truncatedTo(ChronoUnit.SECONDS).toString();
    var before = known.get(news);
    if (before != null) {
      var patch = Wire.object().put("count", before.count() + 1).put("lastTimestamp", seconds);
      try {
        var key = new ObjectKey(news.subject().namespace(), before.name());
        client.mergePatch(EVENTS, key, patch.toString());
        known.put(news, new Written(before.name(), before.count() + 1));
        return;
      } catch (ApiFailure failure) {
        if (!failure.notFound()) {
          throw failure;
        }
      }
    }
    var event = event(news, seconds);
    var made = client.create(EVENTS, news.subject().namespace(), event);
    known.put(news, new Written(made.path("metadata").path("name").asText(), 1));
  }

  private ObjectNode event(News news, String seconds) {
    var subject = news.subject();
    var event = Wire.object().put("apiVersion", "v1").put("kind", "Event");
    long nanos = ChronoUnit.NANOS.between(Instant.EPOCH, clock.instant());
    event
        .putObject("metadata")
        .put("name", subject.name() + "." + Long.toHexString(nanos))
        .put("namespace", subject.namespace());
    event
        .putObject("involvedObject")
        .put("apiVersion", subject.apiVersion())
        .put("kind", subject.kind())
        .put("namespace", subject.namespace())
        .put("name", subject.name())
        .put("uid", subject.uid());
    event.put("type", news.type()).put("reason", news.reason()).put("message", news.message());
    event.put("firstTimestamp", seconds).put("lastTimestamp", seconds).put("count", 1);
    event.putObject("source").put("component", component);
    event.put("reportingComponent", component).put("reportingInstance", "");
    if (!action.isEmpty()) {
      event.put("action", action);
    }
    return event;
  }
}
