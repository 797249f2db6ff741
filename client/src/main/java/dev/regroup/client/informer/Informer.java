package dev.regroup.client.informer;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.metric.Metrics;
import dev.regroup.client.queue.WorkQueue;
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

/**
 * Keeps a slim copy of the objects of one resource and tells its listeners exactly what became
 * different. The objects come from a {@link ResourceFeed}, its own or one that several informers
 * read: they start and end together.
 *
 * <p>Indexes and listeners are added before {@link #start}. Listeners are called one after the
 * other on virtual threads of the feed, in the order of the changes, after the cache has changed.
 * They must be quick: put a key into a {@link WorkQueue}. One that throws is told of the same
 * object again (see {@link Listeners}), so it must bear to hear it twice. Reading is for any
 * thread.
 */
public final class Informer<S> implements AutoCloseable {

  private final ResourceFeed feed;
  private final Function<? super ObjectNode, ? extends S> projection;
  private final IndexedCache<S> cache = new IndexedCache<>();
  private final Listeners<S> listeners;
  private final Map<ObjectKey, Item<S>> found = new LinkedHashMap<>(); // of the list under way
  private @Nullable RuntimeException unreadable; // what the list under way failed at
  private final CountDownLatch synced = new CountDownLatch(1);

  /** Over a feed of its own. */
  public Informer(
      Transport transport,
      Resource<?> resource,
      ListQuery query,
      Function<? super ObjectNode, ? extends S> projection,
      RandomGenerator random) {
    this(new ResourceFeed(transport, resource, query, random, Metrics.NONE), projection);
  }

  /**
   * @param feed not yet started
   * @param projection what to keep of an object; it may neither change nor hold on to the tree
   */
  public Informer(ResourceFeed feed, Function<? super ObjectNode, ? extends S> projection) {
    this.feed = feed;
    this.projection = Objects.requireNonNull(projection, "projection");
    this.listeners = new Listeners<>(feed.plural(), cache::get, feed.backoff());
    feed.add(this);
  }

  /** Adds a named index: the values under which an item is found. Before {@link #start}. */
  public Informer<S> index(
      String name, Function<? super Item<S>, ? extends Collection<String>> values) {
    feed.requireNotStarted();
    cache.index(name, values);
    return this;
  }

  /** Adds a listener. Before {@link #start}. */
  public Informer<S> listen(Consumer<? super Delta<S>> listener) {
    feed.requireNotStarted();
    listeners.add(listener);
    return this;
  }

  public Informer<S> start() {
    feed.start();
    return this;
  }

  /** Waits until the first list is in the cache and all listeners know. */
  public void awaitSynced() throws InterruptedException {
    synced.await();
  }

  /** Waits no longer than this; false if it is not. */
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

  /** Ends the feed and waits until its thread has ended. The cache can still be read. */
  @Override
  public void close() {
    feed.close();
  }

  void endListeners() {
    listeners.close();
  }

  void listBegins() {
    found.clear();
    unreadable = null;
  }

  void listed(Item<ObjectNode> seen) {
    if (unreadable != null) {
      return;
    }
    try {
      found.put(seen.key(), item(seen));
    } catch (RuntimeException e) { // thrown when the list ends: the other readers go first
      unreadable = e;
    }
  }

  void listEnds() {
    if (unreadable != null) {
      throw unreadable;
    }
    for (var old : cache.all()) {
      if (!found.containsKey(old.key())) {
        remove(old.key());
      }
    }
    found.values().forEach(this::keep);
    found.clear();
    synced.countDown();
  }

  void put(Item<ObjectNode> seen) {
    keep(item(seen));
  }

  void remove(ObjectKey key) {
    var old = cache.get(key);
    if (old.isPresent()) {
      listeners.tell(new Delta.Removed<>(old.get()), () -> cache.remove(key));
    }
  }

  private Item<S> item(Item<ObjectNode> seen) {
    return new Item<>(
        seen.key(), seen.uid(), seen.resourceVersion(), projection.apply(seen.value()));
  }

  private void keep(Item<S> item) {
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
}
