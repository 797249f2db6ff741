package dev.regroup.client.informer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Backoff;
import dev.regroup.client.Codec;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Page;
import dev.regroup.client.Request;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.Transport.Unreachable;
import dev.regroup.client.queue.WorkQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a slim copy of the objects of one resource: lists them, watches them, and lists again when
 * the watch is lost, telling its listeners exactly what became different.
 *
 * <p>Indexes and listeners are added before {@link #start}. Listeners are called one after the
 * other on virtual threads of the informer, in the order of the changes, after the cache has
 * changed. They must be quick: put a key into a {@link WorkQueue}. One that throws is told of the
 * same object again (see {@link Listeners}), so it must bear to hear it twice. Reading is for any
 * thread.
 */
public final class Informer<S> implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Informer.class);
  private static final JsonMapper JSON = new JsonMapper();
  private static final int PAGE = 500; // objects; keeps the bytes of a large list out of memory
  private static final Duration FIRST_WAIT = Duration.ofMillis(50);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
  private static final int SHORTEST_WATCH = 300; // seconds, then up to twice that by chance

  private final ApiClient client;
  private final Resource<ObjectNode> resource;
  private final ListQuery query;
  private final Function<? super ObjectNode, ? extends S> projection;
  private final RandomGenerator random;
  private final Backoff backoff;
  private final IndexedCache<S> cache = new IndexedCache<>();
  private final Listeners<S> listeners;
  private final CountDownLatch synced = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile Transport.@Nullable Stream stream;
  private volatile @Nullable Thread thread;

  /**
   * @param query which objects; its limit and token are not used
   * @param projection what to keep of an object; it may not hold on to the tree
   * @param random spreads retries
   */
  public Informer(
      Transport transport,
      Resource<?> resource,
      ListQuery query,
      Function<? super ObjectNode, ? extends S> projection,
      RandomGenerator random) {
    this.client = new ApiClient(transport);
    this.resource = resource.as(Codec.TREE);
    this.query = Objects.requireNonNull(query, "query");
    this.projection = Objects.requireNonNull(projection, "projection");
    this.random = Objects.requireNonNull(random, "random");
    this.backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT, random);
    this.listeners =
        new Listeners<>(
            resource.plural(), cache::get, new Backoff(FIRST_WAIT, LONGEST_WAIT, random));
  }

  /** Adds a named index: the values under which an item is found. Before {@link #start}. */
  public Informer<S> index(
      String name, Function<? super Item<S>, ? extends Collection<String>> values) {
    requireNotStarted();
    cache.index(name, values);
    return this;
  }

  /** Adds a listener. Before {@link #start}. */
  public Informer<S> listen(Consumer<? super Delta<S>> listener) {
    requireNotStarted();
    listeners.add(listener);
    return this;
  }

  public Informer<S> start() {
    requireNotStarted();
    thread = Thread.ofVirtual().name("informer-" + resource.plural()).start(this::run);
    return this;
  }

  private void requireNotStarted() {
    if (thread != null) {
      throw new IllegalStateException("informer of " + resource.plural() + ": already started");
    }
  }

  /** Waits until the first list is in the cache and all listeners know; false if it is not. */
  public boolean awaitSynced(Duration timeout) throws InterruptedException {
    return synced.await(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
  }

  public boolean synced() {
    return synced.getCount() == 0;
  }

  public Optional<Item<S>> get(ObjectKey key) {
    return cache.get(key);
  }

  /** All items, in the order of their keys. */
  public List<Item<S>> all() {
    return cache.all();
  }

  /** The items found under a value of an index, in the order of their keys. */
  public List<Item<S>> find(String index, String value) {
    return cache.find(index, value);
  }

  /** How many items {@link #find} would return, without the cost of collecting them. */
  public int count(String index, String value) {
    return cache.count(index, value);
  }

  public int size() {
    return cache.size();
  }

  /** Ends the watch and waits until the thread has ended. The cache can still be read. */
  @Override
  public void close() {
    closed.countDown();
    var running = thread;
    if (running == null || running.equals(Thread.currentThread())) {
      listeners.close();
      return;
    }
    running.interrupt();
    var open = stream;
    if (open != null) {
      open.close();
    }
    Joins.uninterruptibly(running);
    listeners.close();
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

  /** Lists everything, makes the cache equal to it, and returns the revision to watch from. */
  private String relist() throws ApiFailure, Unreachable, InterruptedException {
    var found = new LinkedHashMap<ObjectKey, Item<S>>();
    var page = client.list(resource, query.withLimit(PAGE).after(""));
    take(page, found);
    while (!page.continueToken().isEmpty()) {
      page = client.list(resource, query.withLimit(PAGE).after(page.continueToken()));
      take(page, found);
    }
    for (var old : cache.all()) {
      if (!found.containsKey(old.key())) {
        remove(old.key());
      }
    }
    found.values().forEach(this::put);
    synced.countDown();
    return page.resourceVersion();
  }

  private void take(Page<ObjectNode> page, Map<ObjectKey, Item<S>> found) {
    for (var object : page.items()) {
      var item = item(object);
      found.put(item.key(), item);
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
        version = apply(JSON.readTree(frame), version);
        backoff.reset();
      }
      return version;
    } finally {
      stream = null;
    }
  }

  private Request watchRequest(String from) {
    int seconds = SHORTEST_WATCH + random.nextInt(SHORTEST_WATCH);
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
      case "ADDED", "MODIFIED" -> put(item(object));
      case "DELETED" -> remove(key(object));
      case "BOOKMARK" -> {} // only its revision counts
      default -> throw new IOException("event of unknown type \"%s\"".formatted(type));
    }
    return object.path("metadata").path("resourceVersion").asText(version);
  }

  private Item<S> item(ObjectNode object) {
    var metadata = object.path("metadata");
    return new Item<>(
        key(object),
        metadata.path("uid").asText(""),
        metadata.path("resourceVersion").asText(""),
        projection.apply(object));
  }

  private static ObjectKey key(ObjectNode object) {
    var metadata = object.path("metadata");
    return new ObjectKey(metadata.path("namespace").asText(""), metadata.path("name").asText(""));
  }

  private void put(Item<S> item) {
    var old = cache.get(item.key());
    if (old.isPresent() && !old.get().uid().equals(item.uid())) {
      remove(item.key());
      old = Optional.empty();
    }
    if (old.isEmpty()) {
      listeners.tell(new Delta.Added<>(item), () -> cache.put(item));
    } else if (!old.get().resourceVersion().equals(item.resourceVersion())) {
      listeners.tell(new Delta.Updated<>(old.get(), item), () -> cache.put(item));
    }
  }

  private void remove(ObjectKey key) {
    var old = cache.get(key);
    if (old.isPresent()) {
      listeners.tell(new Delta.Removed<>(old.get()), () -> cache.remove(key));
    }
  }
}
