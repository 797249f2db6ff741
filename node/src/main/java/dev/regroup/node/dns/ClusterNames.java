package dev.regroup.node.dns;

import dev.regroup.client.Codec;
import dev.regroup.client.Informer;
import dev.regroup.client.Item;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Follows Services and EndpointSlices and keeps the table of names current. A change of one object
 * computes the entry of one service again from both caches, so the order in which the two informers
 * speak does not matter.
 */
public final class ClusterNames implements Supplier<Names>, AutoCloseable {
  private static final String BY_SERVICE = "service";

  private final Informer<ServiceView> services;
  private final Informer<SliceView> slices;
  private volatile Names names = Names.NONE;

  public ClusterNames(Transport transport, RandomGenerator random) {
    this.services =
        new Informer<ServiceView>(
                transport,
                Resource.namespaced("", "v1", "services", Codec.TREE),
                ListQuery.ALL,
                ServiceView::of,
                random)
            .listen(delta -> update(delta.key()));
    this.slices =
        new Informer<SliceView>(
                transport,
                Resource.namespaced("discovery.k8s.io", "v1", "endpointslices", Codec.TREE),
                ListQuery.ALL,
                SliceView::of,
                random)
            .index(BY_SERVICE, slice -> service(slice).map(ObjectKey::toString).stream().toList())
            .listen(delta -> {
              delta.old().flatMap(ClusterNames::service).ifPresent(this::update);
              delta.now().flatMap(ClusterNames::service).ifPresent(this::update);
            });
  }

  public ClusterNames start() {
    services.start();
    slices.start();
    return this;
  }

  /** Waits until everything there was at the start is in the table; false if it is not. */
  public boolean awaitSynced(Duration timeout) throws InterruptedException {
    return services.awaitSynced(timeout) && slices.awaitSynced(timeout);
  }

  /** The table as it is now. Any thread. */
  @Override
  public Names get() {
    return names;
  }

  @Override
  public void close() {
    services.close();
    slices.close();
  }

  /** The only writer of the table; two informers call it, one at a time. */
  private synchronized void update(ObjectKey key) {
    Optional<Names.Addresses> addresses =
        services
            .get(key)
            .flatMap(service -> ServiceNames.addresses(service.value(), slicesOf(key)));
    var name = new Names.ServiceName(key.namespace(), key.name());
    if (!addresses.equals(Optional.ofNullable(names.services().get(name)))) {
      names = names.with(name, addresses);
    }
  }

  private List<SliceView> slicesOf(ObjectKey service) {
    return slices.find(BY_SERVICE, service.toString()).stream().map(Item::value).toList();
  }

  private static Optional<ObjectKey> service(Item<SliceView> slice) {
    String name = slice.value().service();
    return name.isEmpty()
        ? Optional.empty()
        : Optional.of(new ObjectKey(slice.key().namespace(), name));
  }
}
