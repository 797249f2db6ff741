package dev.regroup.node.service;

import dev.regroup.node.service.SliceView.Endpoint;
import dev.regroup.node.service.SliceView.Readiness;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
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

  private static final Inet4Address LOOPBACK = Inet4Address.ofLiteral("127.0.0.1");

  static final RelayPlan NOTHING = new RelayPlan(Map.of());

  /** Where a front is. */
  enum Place {
    /** A cluster address, inside the pods' network. */
    CLUSTER,
    /** The machine's loopback address: a node port is for its own users only. */
    NODE
  }

  /** A port of a cluster address, or of the node. */
  record Front(Place place, Transmission transmission, Inet4Address address, int port) {
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

  /** The cluster address and the node ports; what a load balancer would add is not served. */
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
      var backends = new Backends(endpoints, service.affinity());
      for (Front front : fronts(service, port)) {
        relays.put(front, backends);
      }
    }
    return new RelayPlan(relays);
  }

  private static List<Front> fronts(ServiceView service, Port port) {
    return switch (port.protocol()) {
      case TCP -> fronts(Transmission.CONNECTIONS, service, port);
      case UDP -> fronts(Transmission.DATAGRAMS, service, port);
      case SCTP -> List.of(); // no Java socket speaks it
    };
  }

  private static List<Front> fronts(Transmission transmission, ServiceView service, Port port) {
    var fronts = new ArrayList<Front>();
    var address = service.clusterIp().orElseThrow();
    fronts.add(new Front(Place.CLUSTER, transmission, address, port.number()));
    if (port.nodePort() != 0) {
      fronts.add(new Front(Place.NODE, transmission, LOOPBACK, port.nodePort()));
    }
    return fronts;
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
