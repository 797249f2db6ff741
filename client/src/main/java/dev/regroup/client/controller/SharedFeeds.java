package dev.regroup.client.controller;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.ResourceFeed;
import dev.regroup.client.metric.Metrics;
import dev.regroup.client.queue.PassFigures;
import dev.regroup.client.queue.PassObserver;
import dev.regroup.client.queue.WorkQueue;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * What the controllers of one process share: one watch of each resource that any of them asks for,
 * whoever asks, and so one decoding of each revision. Controllers ask while they are made; then
 * whoever wires them calls {@link #start} once. Closed after the controllers.
 */
public final class SharedFeeds implements AutoCloseable {

  private final Transport transport;
  private final RandomGenerator random;
  private final Metrics metrics;
  private final PassObserver observer;
  private final Map<String, ResourceFeed> feeds = new LinkedHashMap<>();
  private final Map<String, ListQuery> narrowed = new HashMap<>();

  /**
   * @param transport under an identity that may see what all of the controllers may see
   * @param random spreads retries
   * @param metrics keeps figures of every pass of every controller
   */
  public SharedFeeds(Transport transport, RandomGenerator random, Metrics metrics) {
    this.transport = transport;
    this.random = random;
    this.metrics = metrics;
    this.observer = new PassFigures(metrics);
  }

  /** Nobody keeps figures. */
  public SharedFeeds(Transport transport, RandomGenerator random) {
    this(transport, random, Metrics.NONE);
  }

  /** Only these objects of a resource are watched, whoever asks. Before anybody has. */
  public SharedFeeds narrow(Resource<?> resource, ListQuery query) {
    narrowed.put(resource.path(""), query);
    return this;
  }

  /**
   * All objects of a resource, as one controller reads them. Before {@link #start}.
   *
   * @param projection what to keep of an object; it may neither change nor hold on to the tree
   */
  public <S> Informer<S> informer(
      Resource<?> resource, Function<? super ObjectNode, ? extends S> projection) {
    return new Informer<>(
        feeds.computeIfAbsent(
            resource.path(""),
            path ->
                new ResourceFeed(
                    transport,
                    resource,
                    narrowed.getOrDefault(path, ListQuery.ALL),
                    random,
                    metrics)),
        projection);
  }

  /** The parts of a controller with this name, for log lines and threads. */
  public <K> ControllerLoop<K> loop(String name, int workers) {
    return new ControllerLoop<>(WorkQueue.Settings.of(name, workers).observedBy(observer));
  }

  public void start() {
    feeds.values().forEach(ResourceFeed::start);
  }

  /** Whether everything that is watched was read once. */
  public boolean synced() {
    return feeds.values().stream().allMatch(ResourceFeed::synced);
  }

  @Override
  public void close() {
    feeds.values().forEach(ResourceFeed::close);
  }
}
