package dev.regroup.control.events;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.control.Kinds;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes events in the background; the same event again raises its count (JS-97). The queue is
 * bounded: an event too many is dropped, never a controller held up.
 */
public final class EventRecorder implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);
  private static final int WAITING = 10_000;
  private static final int REMEMBERED = 4_096;

  /** What an event is about. */
  public record About(String apiVersion, String kind, String namespace, String name, String uid) {}

  /** {@code Normal} or {@code Warning}. */
  public enum Type {
    NORMAL("Normal"),
    WARNING("Warning");

    private final String wireName;

    Type(String wireName) {
      this.wireName = wireName;
    }
  }

  private record Event(About about, Type type, String reason, String message, Instant at) {}

  private record Same(About about, Type type, String reason, String message) {}

  private record Known(String name, int count) {}

  private final ApiClient client;
  private final String component;
  private final String action;
  private final InstantSource clock;
  private final BlockingQueue<Event> queue = new LinkedBlockingQueue<>(WAITING);
  private final Map<Same, Known> known = // used by the thread alone
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Same, Known> eldest) {
          return size() > REMEMBERED;
        }
      };
  private final Thread thread;

  /**
   * @param component who reports
   * @param action what it was doing; empty for none
   */
  public EventRecorder(
      Transport transport, String component, String action, InstantSource clock) {
    this.client = new ApiClient(transport);
    this.component = component;
    this.action = action;
    this.clock = clock;
    this.thread = Thread.ofVirtual().name("events-" + component).start(this::run);
  }

  public void normal(About about, String reason, String message) {
    offer(new Event(about, Type.NORMAL, reason, message, clock.instant()));
  }

  public void warning(About about, String reason, String message) {
    offer(new Event(about, Type.WARNING, reason, message, clock.instant()));
  }

  private void offer(Event event) {
    if (!queue.offer(event)) {
      LOG.warn("Event {} about {} is dropped: too many wait", event.reason(), event.about());
    }
  }

  private void run() {
    try {
      while (true) {
        write(queue.take());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // close() was called
    }
  }

  private void write(Event event) throws InterruptedException {
    var same = new Same(event.about(), event.type(), event.reason(), event.message());
    var before = known.get(same);
    try {
      if (before != null && again(event, before)) {
        known.put(same, new Known(before.name(), before.count() + 1));
        return;
      }
      var name =
          "%s.%x"
              .formatted(
                  event.about().name(),
                  ChronoUnit.NANOS.between(Instant.EPOCH, event.at()) + known.size());
      client.create(Kinds.EVENTS, event.about().namespace(), object(event, name));
      known.put(same, new Known(name, 1));
    } catch (ApiFailure | Transport.Unreachable e) {
      LOG.debug("Event {} about {}: {}", event.reason(), event.about(), e.getMessage());
    }
  }

  private boolean again(Event event, Known before)
      throws Transport.Unreachable, InterruptedException {
    var patch =
        Wire.object()
            .put("count", before.count() + 1)
            .put("lastTimestamp", event.at().truncatedTo(ChronoUnit.SECONDS).toString());
    try {
      client.mergePatch(
          Kinds.EVENTS,
          new ObjectKey(event.about().namespace(), before.name()),
          Wire.text(patch));
      return true;
    } catch (ApiFailure gone) {
      return false;
    }
  }

  private ObjectNode object(Event event, String name) {
    var time = event.at().truncatedTo(ChronoUnit.SECONDS).toString();
    var about = event.about();
    var object = Wire.object().put("apiVersion", "v1").put("kind", "Event");
    object
        .putObject("metadata")
        .put("name", name)
        .put("namespace", about.namespace());
    object
        .putObject("involvedObject")
        .put("apiVersion", about.apiVersion())
        .put("kind", about.kind())
        .put("namespace", about.namespace())
        .put("name", about.name())
        .put("uid", about.uid());
    object
        .put("reason", event.reason())
        .put("message", shortened(event.message()))
        .put("type", event.type().wireName)
        .put("count", 1)
        .put("firstTimestamp", time)
        .put("lastTimestamp", time)
        .put("reportingComponent", component)
        .put("reportingInstance", "")
        .putObject("source")
        .put("component", component);
    if (!action.isEmpty()) {
      object.put("action", action);
    }
    return object;
  }

  /** The API takes at most 1024 characters. */
  private static String shortened(String message) {
    return message.length() <= 1024 ? message : message.substring(0, 1021) + "...";
  }

  @Override
  public void close() {
    thread.interrupt();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
