package dev.regroup.client.event;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the events of one component. An event equal to an earlier one raises its count instead of
 * making a new object. Events are best effort: when too many wait or the API server does not take
 * one it is lost, and nobody ever waits for them. One virtual thread sends, in the order in which
 * things happened; any thread may record.
 *
 * <p>Some may be told a little {@linkplain Later later}, so that telling of a thing does not slow
 * it down. Everything else is told at once, and before it what happened before it.
 */
public final class EventRecorder implements AutoCloseable {

  /** Where events about objects outside namespaces are. */
  private static final String ELSEWHERE = "default";

  private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);
  private static final Duration LAST_WORDS = Duration.ofSeconds(1);
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
   * Who tells.
   *
   * @param host the node it runs on; empty for a component of the whole cluster
   * @param action what it was doing; empty for nothing in particular
   */
  public record Source(String component, String host, String action) {

    public Source {
      Objects.requireNonNull(component, "component");
      Objects.requireNonNull(host, "host");
      Objects.requireNonNull(action, "action");
    }

    public static Source of(String component) {
      return new Source(component, "", "");
    }

    public Source at(String node) {
      return new Source(component, node, action);
    }

    public Source doing(String what) {
      return new Source(component, host, what);
    }
  }

  /**
   * What the event is about.
   *
   * @param fieldPath {@code spec.containers{name}} or empty for the object itself
   */
  public record Subject(
      String apiVersion, String kind, String namespace, String name, String uid, String fieldPath) {

    public static Subject of(String apiVersion, String kind, ObjectKey key, String uid) {
      return new Subject(apiVersion, kind, key.namespace(), key.name(), uid, "");
    }

    public static Subject pod(String namespace, String name, String uid) {
      return new Subject("v1", "Pod", namespace, name, uid, "");
    }

    public Subject field(String path) {
      return new Subject(apiVersion, kind, namespace, name, uid, path);
    }
  }

  /**
   * Which events may wait, and for how long: the start of a pod is three of them, and the pods of a
   * group start together.
   */
  public record Later(Duration linger, Set<String> reasons) {
    public static final Later NONE = new Later(Duration.ZERO, Set.of());

    public Later {
      Objects.requireNonNull(linger, "linger");
      reasons = Set.copyOf(reasons);
    }
  }

  private record News(Subject subject, Type type, String reason, String message) {}

  private record Happened(News news, Instant at) {}

  private record Recorded(ObjectKey key, int count) {}

  private static final DateTimeFormatter MICRO =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /** Nothing comes after it. */
  private static final Happened END =
      new Happened(new News(Subject.pod("", "", ""), Type.NORMAL, "", ""), Instant.MAX);

  private final ApiClient client;
  private final Source source;
  private final InstantSource clock;
  private final ArrayBlockingQueue<Happened> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
  private final AtomicBoolean lost = new AtomicBoolean();
  private final Semaphore urgent = new Semaphore(0);
  private final Later later;
  private long suffix; // of the newest name; only the sending thread uses it
  private final Thread thread;

  /** Only the sending thread uses it; the oldest entry goes when it is full. */
  private final Map<News, Recorded> recorded =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<News, Recorded> eldest) {
          return size() > MOST_REMEMBERED;
        }
      };

  /** Tells everything at once. */
  public EventRecorder(Transport transport, Source source, InstantSource clock) {
    this(transport, source, clock, Later.NONE);
  }

  public EventRecorder(Transport transport, Source source, InstantSource clock, Later later) {
    this.client = new ApiClient(transport);
    this.source = source;
    this.clock = clock;
    this.later = later;
    this.thread = Thread.ofVirtual().name("events-" + source.component()).start(this::run);
  }

  public void normal(Subject subject, String reason, String message) {
    record(subject, Type.NORMAL, reason, message);
  }

  public void warning(Subject subject, String reason, String message) {
    record(subject, Type.WARNING, reason, message);
  }

  /** Records an event now. Never waits. */
  public void record(Subject subject, Type type, String reason, String message) {
    var news = new News(subject, type, reason, message);
    if (!waiting.offer(new Happened(news, clock.instant())) && !lost.getAndSet(true)) {
      LOG.warn("{}: events are lost, more than {} wait", source.component(), MOST_WAITING);
    }
    if (!later.reasons().contains(reason)) {
      urgent.release();
    }
  }

  /**
   * Tells of a thing now, under a name of its own, and waits until it is told: however often it is
   * asked, also by a program that has died since, there is one event. An API server that does not
   * take it is nobody's trouble; one that is not there is.
   */
  public void once(Subject subject, Type type, String reason, String message, String id)
      throws Transport.Unreachable, InterruptedException {
    var happened = new Happened(new News(subject, type, reason, message), clock.instant());
    var key = new ObjectKey(namespace(subject), subject.name() + "." + subject.uid() + "." + id);
    try {
      client.create(Kinds.EVENTS, key.namespace(), event(happened, key));
    } catch (ApiFailure failure) {
      LOG.debug("event {} not told: {}", reason, failure.getMessage()); // or told before
    }
  }

  /** Tells what still waits, but a server that does not answer holds up no end: it is lost then. */
  @Override
  public void close() {
    boolean ends = waiting.offer(END);
    urgent.release();
    try {
      if (!ends || !thread.join(LAST_WORDS)) {
        thread.interrupt();
        thread.join();
      }
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (true) {
        var first = waiting.take();
        if (urgent.tryAcquire(later.linger().toNanos(), TimeUnit.NANOSECONDS)) {
          urgent.drainPermits();
        }
        for (var next = first; next != null; next = waiting.poll()) {
          if (next.equals(END)) {
            return;
          }
          trySend(next);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // close() has waited long enough
    }
  }

  private void trySend(Happened happened) throws InterruptedException {
    try {
      send(happened);
    } catch (ApiFailure | Transport.Unreachable e) {
      LOG.debug("event {} lost: {}", happened.news().reason(), e.getMessage());
    } catch (RuntimeException e) { // one event's bug must not silence all others
      LOG.error("event {} lost", happened.news().reason(), e);
    }
  }

  private void send(Happened happened)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var earlier = recorded.get(happened.news());
    if (earlier == null || !count(happened, earlier)) {
      create(happened);
    }
  }

  /** False when the earlier event has expired. */
  private boolean count(Happened happened, Recorded earlier)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    int count = earlier.count() + 1;
    var patch = JsonNodeFactory.instance.objectNode();
    patch.put("count", count).put("lastTimestamp", second(happened.at()));
    if (!source.action().isEmpty()) { // who says what it does is read as events.k8s.io/v1
      patch.putObject("series").put("count", count).put("lastObservedTime", micro(happened.at()));
    }
    try {
      client.mergePatch(Kinds.EVENTS, earlier.key(), patch.toString());
    } catch (ApiFailure failure) {
      if (failure.notFound()) {
        return false;
      }
      throw failure;
    }
    recorded.put(happened.news(), new Recorded(earlier.key(), count));
    return true;
  }

  private void create(Happened happened)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var subject = happened.news().subject();
    suffix = Math.max(suffix + 1, ChronoUnit.NANOS.between(Instant.EPOCH, happened.at()));
    var key = new ObjectKey(namespace(subject), subject.name() + "." + Long.toHexString(suffix));
    client.create(Kinds.EVENTS, key.namespace(), event(happened, key));
    recorded.put(happened.news(), new Recorded(key, 1));
  }

  private static String namespace(Subject subject) {
    return subject.namespace().isEmpty() ? ELSEWHERE : subject.namespace();
  }

  private ObjectNode event(Happened happened, ObjectKey key) {
    var news = happened.news();
    var subject = news.subject();
    var event = JsonNodeFactory.instance.objectNode();
    event.put("apiVersion", "v1").put("kind", "Event");
    event.putObject("metadata").put("name", key.name()).put("namespace", key.namespace());
    var involved = event.putObject("involvedObject");
    involved.put("apiVersion", subject.apiVersion()).put("kind", subject.kind());
    if (!subject.namespace().isEmpty()) {
      involved.put("namespace", subject.namespace());
    }
    involved.put("name", subject.name());
    involved.put("uid", subject.uid());
    if (!subject.fieldPath().isEmpty()) {
      involved.put("fieldPath", subject.fieldPath());
    }
    event.put("type", news.type().wireName).put("reason", news.reason());
    event.put("message", news.message()).put("count", 1).putNull("eventTime");
    event.put("firstTimestamp", second(happened.at()));
    event.put("lastTimestamp", second(happened.at()));
    var from = event.putObject("source").put("component", source.component());
    event.put("reportingComponent", source.component()).put("reportingInstance", source.host());
    if (!source.host().isEmpty()) {
      from.put("host", source.host());
    }
    if (!source.action().isEmpty()) {
      event.put("action", source.action());
    }
    return event;
  }

  private static String micro(Instant at) {
    return MICRO.format(at);
  }

  private static String second(Instant at) {
    return at.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
