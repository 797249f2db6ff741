package dev.regroup.control.owners;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.controller.SharedFeeds;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.WorkQueue;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Follows the objects of custom kinds: a watch for each definition, begun when its kind is served
 * and ended when it is not. Whoever listens is told that objects are gone when nobody can follow
 * them any more.
 *
 * @param <T> what is kept of each object
 */
public final class CustomFeeds<T> implements AutoCloseable {
  private final KnownCollections known;
  private final Transport transport;
  private final RandomGenerator random;
  private final BiFunction<Collection, ObjectNode, T> projection;
  private final Consumer<Delta<T>> listener;
  private final Map<String, Running<T>> running = new HashMap<>(); // of the one worker
  private final WorkQueue<String> queue;

  private record Running<T>(String path, Informer<T> objects) {}

  /**
   * @param name of the loop that begins and ends the watches
   * @param random spreads retries
   * @param listener of every object; must be quick
   */
  public CustomFeeds(
      String name,
      SharedFeeds feeds,
      KnownCollections known,
      Transport transport,
      RandomGenerator random,
      BiFunction<Collection, ObjectNode, T> projection,
      Consumer<Delta<T>> listener) {
    this.known = known;
    this.transport = transport;
    this.random = random;
    this.projection = projection;
    this.listener = listener;
    this.queue =
        feeds
            .<String>loop(name, 1)
            .wakes(known.definitions(), item -> Optional.of(item.key().name()))
            .run(this::handle);
  }

  private Outcome handle(String name) {
    var wanted =
        known
            .definitions()
            .get(ObjectKey.cluster(name))
            .flatMap(item -> known.custom(item.value()));
    var now = running.get(name);
    if (now != null && wanted.map(one -> one.path().equals(now.path())).orElse(false)) {
      return Outcome.settled();
    }
    if (now != null) {
      running.remove(name);
      now.objects().close();
      now.objects().all().forEach(item -> listener.accept(new Delta.Removed<>(item)));
    }
    wanted.ifPresent(collection -> running.put(name, begin(collection)));
    return Outcome.settled();
  }

  private Running<T> begin(Collection collection) {
    var objects =
        new Informer<>(
            transport,
            collection.resource(),
            ListQuery.ALL,
            object -> projection.apply(collection, object),
            random);
    return new Running<>(collection.path(), objects.listen(listener).start());
  }

  @Override
  public void close() {
    queue.close();
    running.values().forEach(one -> one.objects().close());
  }
}
