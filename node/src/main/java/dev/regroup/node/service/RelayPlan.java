package dev.regroup.node.service;

import dev.regroup.node.service.SliceView.Endpoint;
import dev.regroup.node.service.SliceView.Readiness;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * Which relays one service wants: a pure function of the service and its slices. A port nobody
 * serves is not in it, so nothing listens there and the kernel refuses, as Kubernetes does.
 *
 * @param relays where to listen, and where that leads
 */
record RelayPlan(Map<Front, Backends> relays) {

  static final RelayPlan NOTHING = new RelayPlan(Map.of());

  /** A port of a cluster address. */
  record Front(Transmission transmission, Inet4Address address, int port) {
    InetSocketAddress socket() {
      return new InetSocketAddress(address, port);
    }

    @Override
    public String toString() {
      return "%s %s:%d".formatted(transmission, address.getHostAddress(), port);
    }
  }

  /** What is relayed. */
  enum Transmission {
    CONNECTIONS,
    DATAGRAMS
  }

  /**
   * Who serves a front.
   *
   * @param endpoints at least one, in the order of the slices
   * @param affinity how long a client stays with an endpoint; zero for not at all
   */
  record Backends(List<InetSocketAddress> endpoints, Duration affinity) {
    Backends {
      endpoints = List.copyOf(endpoints);
      if (endpoints.isEmpty()) {
        throw new IllegalArgumentException("endpoints: must not be empty");
      }
    }
  }

  RelayPlan {
    relays = Map.copyOf(relays);
  }

  /** Only the cluster address is served: what a type adds, such as a node port, is not. */
  static RelayPlan of(ServiceView service, List<SliceView> slices) {
    if (service.kind() != ServiceView.Kind.CLUSTER_IP || service.clusterIp().isEmpty()) {
      return NOTHING;
    }
    var relays = new LinkedHashMap<Front, Backends>();
    for (Port port : service.ports()) {
      var endpoints = endpoints(port, slices, Readiness.READY);
      if (endpoints.isEmpty()) {
        endpoints = endpoints(port, slices, Readiness.SERVING_WHILE_TERMINATING);
      }
      if (endpoints.isEmpty()) {
        continue;
      }
      switch (port.protocol()) {
        case TCP ->
            relays.put(
                front(Transmission.CONNECTIONS, service, port),
                new Backends(endpoints, service.affinity()));
        case UDP ->
            relays.put(
                front(Transmission.DATAGRAMS, service, port),
                new Backends(endpoints, service.affinity()));
        case SCTP -> {} // no Java socket speaks it
      }
    }
    return new RelayPlan(relays);
  }

  private static Front front(Transmission transmission, ServiceView service, Port port) {
    return new Front(transmission, service.clusterIp().orElseThrow(), port.number());
  }

  private static List<InetSocketAddress> endpoints(
      Port port, List<SliceView> slices, Readiness readiness) {
    var found = new LinkedHashSet<InetSocketAddress>();
    for (SliceView slice : slices) {
      for (Port target : slice.ports()) {
        if (!port.servedBy(target)) {
          continue;
        }
        for (Endpoint endpoint : slice.endpoints()) {
          if (endpoint.readiness() == readiness && mayBeReached(endpoint.address())) {
            found.add(new InetSocketAddress(endpoint.address(), target.number()));
          }
        }
      }
    }
    return List.copyOf(found);
  }

  /**
   * Relays connect from the host's network: an endpoint at its loopback address would open to pods
   * what listens for the host's own users only.
   */
  private static boolean mayBeReached(Inet4Address address) {
    return !address.isLoopbackAddress()
        && !address.isAnyLocalAddress()
        && !address.isLinkLocalAddress()
        && !address.isMulticastAddress();
  }
}
