package dev.regroup.client.controller;

import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import dev.regroup.client.queue.WorkQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * How a controller is put together: which caches it reads, what their news put into its queue, and
 * what it does with a key. Its workers begin when all those caches are full, so no pass ever takes
 * something for missing that is only not known yet.
 */
public final class ControllerLoop<K> {

  private final List<Informer<?>> caches = new ArrayList<>();
  private final List<Consumer<WorkQueue<K>>> listeners = new ArrayList<>();
  private WorkQueue.Settings settings;

  ControllerLoop(WorkQueue.Settings settings) {
    this.settings = settings;
  }

  /** How long a key waits after its first failure, and at most. */
  public ControllerLoop<K> retries(Duration first, Duration longest) {
    settings = settings.retrying(first, longest);
    return this;
  }

  /** Reads this cache. */
  public ControllerLoop<K> reads(Informer<?> cache) {
    caches.add(cache);
    return this;
  }

  /** Reads this cache and hears its news; the listener puts keys into the queue. */
  public <S> ControllerLoop<K> hears(Informer<S> cache, Consumer<? super Delta<S>> listener) {
    listeners.add(_ -> cache.listen(listener));
    return reads(cache);
  }

  /** Reads this cache; each change of an object has these keys looked at. */
  public <S> ControllerLoop<K> wakes(
      Informer<S> cache, Function<? super Item<S>, Optional<K>> key) {
    listeners.add(queue ->
        cache.listen(
            delta -> key.apply(delta.now().or(delta::old).orElseThrow()).ifPresent(queue::add)));
    return reads(cache);
  }

  /** Adds the listeners and makes the workers, who wait for the caches. */
  public WorkQueue<K> run(WorkQueue.Handler<? super K> pass) {
    var queue = new WorkQueue<K>(settings, this::awaitCaches, pass);
    listeners.forEach(listener -> listener.accept(queue));
    return queue;
  }

  private void awaitCaches() throws InterruptedException {
    for (var cache : caches) {
      cache.awaitSynced();
    }
  }
}
