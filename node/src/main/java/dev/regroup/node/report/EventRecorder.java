package dev.regroup.node.report;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
 * Writes events as a kubelet does. An event equal to an earlier one raises its count instead of
 * making a new object. Events are best effort: when the queue is full or the API server does not
 * answer they are lost, and nobody ever waits for them. One virtual thread sends.
 */
public final class EventRecorder {

  private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);
  private static final int MOST_WAITING = 4096;
  private static final int MOST_REMEMBERED = 4096;

  public enum Type {
    NORMAL("Normal"),
    WARNING("Warning");

    private final String wireName;

    Type(String wireName) {
      this.wireName = wireName;
    }
  }

  /**
   * What the event is about.
   *
   * @param fieldPath {@code spec.containers{name}} or empty for the object itself
   */
  public record Subject(
      String apiVersion, String kind, String namespace, String name, String uid, String fieldPath) {

    public static Subject pod(String namespace, String name, String uid) {
      return new Subject("v1", "Pod", namespace, name, uid, "");
    }

    public Subject field(String path) {
      return new Subject(apiVersion, kind, namespace, name, uid, path);
    }
  }

  private record Key(Subject subject, Type type, String reason, String message) {}

  private record Happened(Key key, Instant at) {}

  private record Recorded(String name, int count) {}

  private final NodeApi api;
  private final String node;
  private final InstantSource clock;
  private final ArrayBlockingQueue<Happened> queue = new ArrayBlockingQueue<>(MOST_WAITING);
  private final AtomicLong suffix;
  private final Thread thread;

  /** Only the sending thread uses it; the oldest entry goes when it is full. */
  private final Map<Key, Recorded> recorded =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Recorded> eldest) {
          return size() > MOST_REMEMBERED;
        }
      };

  public EventRecorder(NodeApi api, String node, InstantSource clock) {
    this.api = api;
    this.node = node;
    this.clock = clock;
    var now = clock.instant();
    this.suffix = new AtomicLong(now.getEpochSecond() * 1_000_000_000 + now.getNano());
    this.thread = Thread.ofVirtual().name("events").start(this::run);
  }

  /** Records an event now. Never waits. */
  public void record(Subject subject, Type type, String reason, String message) {
    var key = new Key(subject, type, reason, message);
    if (!queue.offer(new Happened(key, clock.instant()))) {
      LOG.debug("event queue is full, lost {} of {}", reason, subject.name());
    }
  }

  /** Ends the thread and waits for it. */
  public void stop() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }

  private void run() {
    try {
      while (true) {
        var happened = queue.take();
        try {
          send(happened);
        } catch (Transport.Unreachable e) {
          LOG.debug("event {} lost: API server unreachable", happened.key().reason());
        } catch (RuntimeException e) { // one event's bug must not silence all others
          LOG.error("event {} lost", happened.key().reason(), e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // stop() was called
    }
  }

  private void send(Happened happened) throws Transport.Unreachable, InterruptedException {
    var key = happened.key();
    var earlier = recorded.get(key);
    if (earlier != null) {
      var patch = JsonNodeFactory.instance.objectNode();
      patch.put("count", earlier.count() + 1).put("lastTimestamp", second(happened.at()));
      var reply = api.patchEvent(key.subject().namespace(), earlier.name(), patch);
      if (reply.ok()) {
        recorded.put(key, new Recorded(earlier.name(), earlier.count() + 1));
        return;
      }
      recorded.remove(key); // expired: make a new one
    }
    var name = key.subject().name() + "." + Long.toHexString(suffix.incrementAndGet());
    var reply = api.createEvent(key.subject().namespace(), event(happened, name));
    if (reply.ok()) {
      recorded.put(key, new Recorded(name, 1));
    } else {
      LOG.debug("event {} refused with {}: {}", key.reason(), reply.code(), reply.message());
    }
  }

  private ObjectNode event(Happened happened, String name) {
    var key = happened.key();
    var subject = key.subject();
    var event = JsonNodeFactory.instance.objectNode();
    event.put("apiVersion", "v1").put("kind", "Event");
    event.putObject("metadata").put("name", name).put("namespace", subject.namespace());
    var involved = event.putObject("involvedObject");
    involved.put("kind", subject.kind()).put("namespace", subject.namespace());
    involved.put("name", subject.name()).put("uid", subject.uid());
    involved.put("apiVersion", subject.apiVersion());
    if (!subject.fieldPath().isEmpty()) {
      involved.put("fieldPath", subject.fieldPath());
    }
    event.put("reason", key.reason()).put("message", key.message());
    event.putObject("source").put("component", "kubelet").put("host", node);
    event.put("firstTimestamp", second(happened.at()));
    event.put("lastTimestamp", second(happened.at()));
    event.put("count", 1).put("type", key.type().wireName).putNull("eventTime");
    event.put("reportingComponent", "kubelet").put("reportingInstance", node);
    return event;
  }

  private static String second(Instant at) {
    return at.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
