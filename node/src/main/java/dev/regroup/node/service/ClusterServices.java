package dev.regroup.node.service;

import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * The one view of Services and EndpointSlices that names, relays and environments share. Whoever
 * listens is told which service to look at again, whatever changed of it, so the order in which the
 * two informers speak does not matter.
 */
public final class ClusterServices implements Services, AutoCloseable {
  private static final String BY_NAMESPACE = "namespace";
  private static final String BY_SERVICE = "service";

  private final Informer<ServiceView> services;
  private final Informer<SliceView> slices;
  private final List<Consumer<ObjectKey>> listeners = new ArrayList<>();

  public ClusterServices(Transport transport, RandomGenerator random) {
    this.services =
        new Informer<ServiceView>(transport, Kinds.SERVICES, ListQuery.ALL, ServiceView::of, random)
            .index(BY_NAMESPACE, service -> List.of(service.key().namespace()))
            .listen(delta -> tell(delta.key()));
    this.slices =
        new Informer<SliceView>(transport, Kinds.SLICES, ListQuery.ALL, SliceView::of, random)
            .index(BY_SERVICE, slice -> serviceOf(slice).map(ObjectKey::toString).stream().toList())
            .listen(delta -> {
              Optional<ObjectKey> before = delta.old().flatMap(ClusterServices::serviceOf);
              Optional<ObjectKey> now = delta.now().flatMap(ClusterServices::serviceOf);
              before.filter(service -> now.filter(service::equals).isEmpty()).ifPresent(this::tell);
              now.ifPresent(this::tell);
            });
  }

  /**
   * Adds somebody to tell which service to look at again; from two threads, and it must be quick.
   * Before {@link #start}.
   */
  public ClusterServices listen(Consumer<ObjectKey> listener) {
    listeners.add(listener);
    return this;
  }

  public ClusterServices start() {
    services.start();
    slices.start();
    return this;
  }

  /** Waits until everything there was at the start is known; false if it is not. */
  public boolean awaitSynced(Duration timeout) throws InterruptedException {
    return services.awaitSynced(timeout) && slices.awaitSynced(timeout);
  }

  @Override
  public Optional<ServiceView> service(ObjectKey key) {
    return services.get(key).map(Item::value);
  }

  public List<SliceView> slices(ObjectKey service) {
    return slices.find(BY_SERVICE, service.toString()).stream().map(Item::value).toList();
  }

  @Override
  public List<Item<ServiceView>> in(String namespace) {
    return services.find(BY_NAMESPACE, namespace);
  }

  @Override
  public void close() {
    services.close();
    slices.close();
  }

  private void tell(ObjectKey service) {
    listeners.forEach(listener -> listener.accept(service));
  }

  private static Optional<ObjectKey> serviceOf(Item<SliceView> slice) {
    String name = slice.value().service();
    return name.isEmpty()
        ? Optional.empty()
        : Optional.of(new ObjectKey(slice.key().namespace(), name));
  }
}
