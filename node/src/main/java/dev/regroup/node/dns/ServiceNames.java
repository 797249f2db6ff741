package dev.regroup.node.dns;

import dev.regroup.node.service.ServiceView;
import dev.regroup.node.service.SliceView;
import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** From one service and its endpoint slices to its entry in the table of names. Pure. */
final class ServiceNames {
  private static final Comparator<Inet4Address> BY_NUMBER =
      (a, b) -> Arrays.compareUnsigned(a.getAddress(), b.getAddress());

  private ServiceNames() {}

  /** Empty if the service's name is not answered here. */
  static Optional<DnsNames.Addresses> addresses(ServiceView service, List<SliceView> slices) {
    return switch (service.kind()) {
      case HEADLESS -> Optional.of(headless(service, slices));
      case CLUSTER_IP ->
          service.clusterIp().map(address -> new DnsNames.Addresses(List.of(address), Map.of()));
      case EXTERNAL -> Optional.empty();
    };
  }

  private static DnsNames.Addresses headless(ServiceView service, List<SliceView> slices) {
    var all = new TreeSet<>(BY_NUMBER);
    var byHostname = new TreeMap<String, SequencedSet<Inet4Address>>();
    for (SliceView slice : slices) {
      for (SliceView.Endpoint endpoint : slice.endpoints()) {
        if (!shown(service, endpoint)) {
          continue;
        }
        all.add(endpoint.address());
        byHostname
            .computeIfAbsent(hostname(endpoint), _ -> new LinkedHashSet<>())
            .add(endpoint.address());
      }
    }
    var named = new TreeMap<String, List<Inet4Address>>();
    byHostname.forEach((hostname, addresses) -> named.put(hostname, List.copyOf(addresses)));
    return new DnsNames.Addresses(new ArrayList<>(all), named);
  }

  private static boolean shown(ServiceView service, SliceView.Endpoint endpoint) {
    return switch (service.visibility()) {
      case ALL -> true;
      case READY -> endpoint.readiness() == SliceView.Readiness.READY;
    };
  }

  /** A pod without a hostname is called by its address, as in Kubernetes: {@code 10-1-2-3}. */
  private static String hostname(SliceView.Endpoint endpoint) {
    return endpoint.hostname().isEmpty()
        ? endpoint.address().getHostAddress().replace('.', '-')
        : endpoint.hostname().toLowerCase(Locale.ROOT);
  }
}
