package dev.regroup.node.dns;

import dev.regroup.client.ObjectKey;
import dev.regroup.node.service.ClusterServices;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Keeps the table of names current. A change of one object computes the entry of one service again
 * from the view of all services, so the order of changes does not matter.
 */
public final class ClusterNames implements Supplier<DnsNames> {
  private final ClusterServices services;
  private volatile DnsNames names = DnsNames.NONE;

  /** Follows services that are not started yet. */
  public ClusterNames(ClusterServices services) {
    this.services = services.listen(this::update);
  }

  /** The table as it is now. Any thread. */
  @Override
  public DnsNames get() {
    return names;
  }

  /** The only writer of the table; two informers call it, one at a time. */
  private synchronized void update(ObjectKey key) {
    Optional<DnsNames.Addresses> addresses =
        services
            .service(key)
            .flatMap(service -> ServiceNames.addresses(service, services.slices(key)));
    var name = new DnsNames.ServiceName(key.namespace(), key.name());
    if (!addresses.equals(Optional.ofNullable(names.services().get(name)))) {
      names = names.with(name, addresses);
    }
  }
}
