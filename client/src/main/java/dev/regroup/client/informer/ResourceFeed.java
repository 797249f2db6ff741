package dev.regroup.client.informer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Backoff;
import dev.regroup.client.Codec;
import dev.regroup.client.Joins;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Page;
import dev.regroup.client.Request;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.Transport.Unreachable;
import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists and watches one resource, and lists again when the watch is lost. Every revision is decoded
 * once and handed, on one virtual thread and in order, to each {@link Informer} over this feed, in
 * the order they were made.
 *
 * <p>An informer that cannot read an object does not keep it from the others, but has the feed list
 * again every few seconds until it can: until then it is not full, or stays behind.
 */
public final class ResourceFeed implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ResourceFeed.class);
  private static final int PAGE = 500; // objects; keeps the bytes of a large list out of memory
  private static final Duration FIRST_WAIT = Duration.ofMillis(50);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
  private static final int SHORTEST_WATCH = 300; // seconds, then up to twice that by chance
  private static final int WHILE_BEHIND = 5; // seconds, then a list

  private static final MetricFamily LISTS =
      MetricFamily.counter(
          "informer_lists_total", "Full lists, because a watch began or was lost", "resource");

  private static final MetricFamily LAG =
      MetricFamily.histogram(
          "informer_event_duration_seconds",
          "Time from the arrival of an event until all caches and listeners have it",
          "resource");

  private final ApiClient client;
  private final Resource<ObjectNode> resource;
  private final ListQuery query;
  private final RandomGenerator random;
  private final Metrics metrics;
  private final Backoff backoff;
  private final List<Informer<?>> informers = new ArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private boolean behind; // only the feed's thread: somebody could not read the last list
  private volatile Transport.@Nullable Stream stream;
  private volatile @Nullable Thread thread;

  /**
   * @param query which objects; its limit and token are not used
   * @param random spreads retries
   */
  public ResourceFeed(
      Transport transport,
      Resource<?> resource,
      ListQuery query,
      RandomGenerator random,
      Metrics metrics) {
    this.metrics = metrics;
    this.client = new ApiClient(transport);
    this.resource = resource.as(Codec.TREE);
    this.query = Objects.requireNonNull(query, "query");
    this.random = Objects.requireNonNull(random, "random");
    this.backoff = backoff();
  }

  /** As it waits itself; for whoever retries about the same objects. */
  Backoff backoff() {
    return new Backoff(FIRST_WAIT, LONGEST_WAIT, random);
  }

  String plural() {
    return resource.plural();
  }

  void add(Informer<?> informer) {
    requireNotStarted();
    informers.add(informer);
  }

  public void start() {
    requireNotStarted();
    thread = Thread.ofVirtual().name("informer-" + resource.plural()).start(this::run);
  }

  /** Whether all informers hold the first list. */
  public boolean synced() {
    return informers.stream().allMatch(Informer::synced);
  }

  void requireNotStarted() {
    if (thread != null) {
      throw new IllegalStateException("informer of " + resource.plural() + ": already started");
    }
  }

  /** Ends the watch and waits until the thread has ended. The caches can still be read. */
  @Override
  public void close() {
    closed.countDown();
    var running = thread;
    if (running != null && !running.equals(Thread.currentThread())) {
      running.interrupt();
      var open = stream;
      if (open != null) {
        open.close();
      }
      Joins.uninterruptibly(running);
    }
    informers.forEach(Informer::endListeners);
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  private void run() {
    var version = ""; // empty: list first
    while (!isClosed()) {
      try {
        if (version.isEmpty()) {
          version = relist();
        }
        version = watch(version);
      } catch (InterruptedException e) {
        return; // only close() interrupts
      } catch (ApiFailure | IOException | RuntimeException e) {
        version = "";
        if (!isClosed()) {
          report(e);
        }
      }
      if (!pause(version)) {
        return;
      }
    }
  }

  private void report(Exception e) {
    if (e instanceof RuntimeException) {
      LOG.error("Informer of {} met a bug and lists again", resource.plural(), e);
    } else if (e instanceof ApiFailure failure && failure.gone()) {
      LOG.debug("Watch of {} fell behind and lists again", resource.plural());
    } else {
      LOG.warn("Watch of {} is lost and tried again: {}", resource.plural(), e.getMessage());
    }
  }

  /** Waits before the next try, unless the last watch did its work; false when closed. */
  private boolean pause(String version) {
    if (!version.isEmpty() && backoff.fresh()) {
      return true;
    }
    try {
      return !closed.await(backoff.next().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return false;
    }
  }

  /** Lists everything, makes the caches equal to it, and returns the revision to watch from. */
  private String relist() throws ApiFailure, Unreachable, InterruptedException {
    metrics.count(LISTS, resource.plural());
    informers.forEach(Informer::listBegins);
    var page = list("");
    while (!page.continueToken().isEmpty()) {
      page = list(page.continueToken());
    }
    behind = false;
    try {
      tell(Informer::listEnds);
    } catch (RuntimeException e) {
      behind = true;
      report(e);
    }
    return page.resourceVersion();
  }

  private Page<ObjectNode> list(String token) throws ApiFailure, Unreachable, InterruptedException {
    var page = client.list(resource, query.withLimit(PAGE).after(token));
    for (var object : page.items()) {
      var seen = seen(object);
      informers.forEach(informer -> informer.listed(seen));
    }
    return page;
  }

  /** Tells all, whoever fails; then the first failure is thrown. */
  private void tell(Consumer<Informer<?>> news) {
    RuntimeException first = null;
    for (var informer : informers) {
      try {
        news.accept(informer);
      } catch (RuntimeException e) { // a supervisor: one reader's bug must not harm the others
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw first;
    }
  }

  /**
   * Watches until the server ends it, and returns the revision to go on from.
   *
   * @throws ApiFailure when the server refuses or says that the revision is too old
   */
  private String watch(String from) throws ApiFailure, IOException, InterruptedException {
    var version = from;
    try (var frames = client.transport().open(watchRequest(from))) {
      stream = frames;
      if (isClosed()) {
        return version; // close() may have looked too early
      }
      if (frames.status() != 200) {
        throw ApiFailure.of(frames.status(), rest(frames));
      }
      for (var frame = frames.next(); frame != null; frame = frames.next()) {
        long arrived = System.nanoTime();
        version = apply(EventReader.read(frame), version);
        metrics.took(LAG, Duration.ofNanos(System.nanoTime() - arrived), resource.plural());
        backoff.reset();
      }
      return behind ? "" : version;
    } finally {
      stream = null;
    }
  }

  private Request watchRequest(String from) {
    int seconds = behind ? WHILE_BEHIND : SHORTEST_WATCH + random.nextInt(SHORTEST_WATCH);
    var watch =
        query
            .withLimit(0)
            .after("")
            .query()
            .add("watch", "true")
            .add("allowWatchBookmarks", "true")
            .add("resourceVersion", from)
            .add("timeoutSeconds", Integer.toString(seconds));
    return Request.get(resource.path(query.namespace()), watch.toString())
        .withHeader("accept", "application/json");
  }

  private static byte[] rest(Transport.Stream frames) throws IOException, InterruptedException {
    var bytes = new java.io.ByteArrayOutputStream();
    for (var frame = frames.next(); frame != null; frame = frames.next()) {
      bytes.writeBytes(frame);
    }
    return bytes.toByteArray();
  }

  private String apply(JsonNode event, String version) throws ApiFailure, IOException {
    var type = event.path("type").asText("");
    if (type.equals("ERROR")) {
      throw ApiFailure.of(event.path("object"));
    }
    if (!(event.get("object") instanceof ObjectNode object)) {
      throw new IOException("event of type \"%s\": has no object".formatted(type));
    }
    switch (type) {
      case "ADDED", "MODIFIED" -> {
        var seen = seen(object);
        tell(informer -> informer.put(seen));
      }
      case "DELETED" -> {
        var key = key(object);
        tell(informer -> informer.remove(key));
      }
      case "BOOKMARK" -> {} // only its revision counts
      default -> throw new IOException("event of unknown type \"%s\"".formatted(type));
    }
    return object.path("metadata").path("resourceVersion").asText(version);
  }

  /** Who manages which fields is for the server to know: caches would double in size by it. */
  private static Item<ObjectNode> seen(ObjectNode object) {
    var metadata = object.path("metadata");
    if (metadata instanceof ObjectNode some) {
      some.remove("managedFields");
    }
    return new Item<>(
        key(object),
        metadata.path("uid").asText(""),
        metadata.path("resourceVersion").asText(""),
        object);
  }

  private static ObjectKey key(ObjectNode object) {
    var metadata = object.path("metadata");
    return new ObjectKey(metadata.path("namespace").asText(""), metadata.path("name").asText(""));
  }
}
