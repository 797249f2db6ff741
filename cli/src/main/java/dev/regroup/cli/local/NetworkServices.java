package dev.regroup.cli.local;

import dev.regroup.client.Transport;
import dev.regroup.node.dns.ClusterNames;
import dev.regroup.node.dns.DnsServer;
import dev.regroup.node.dns.HostResolvers;
import dev.regroup.node.service.ClusterServices;
import dev.regroup.node.service.ServiceRelays;
import dev.regroup.node.service.Services;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.fabric.Fabric;
import dev.regroup.runtime.fabric.Subnet;
import dev.regroup.server.ApiServer;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** What answers inside the pods' network: names, services, and the API under its own address. */
final class NetworkServices implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Inet4Address LOOPBACK = Inet4Address.ofLiteral("127.0.0.1");

  private final Fabric fabric;
  private final ClusterServices services;
  private final ServiceRelays relays;
  private final DnsServer dns;

  private NetworkServices(Fabric fabric, Transport transport, RandomGenerator random)
      throws RuntimeFailure, InterruptedException {
    this.fabric = fabric;
    this.services = new ClusterServices(transport, random);
    var names = new ClusterNames(services);
    this.relays = ServiceRelays.start(fabric, services, ServiceRelays.Settings.STANDARD, random);
    try {
      services.start();
      if (!services.awaitSynced(PATIENCE)) { // containers are told about all of them
        throw new IllegalStateException("the API server is silent");
      }
      this.dns =
          DnsServer.start(fabric, names, new HostResolvers(Path.of("/etc/resolv.conf"), random));
    } catch (RuntimeFailure | InterruptedException | RuntimeException e) {
      services.close();
      relays.close();
      throw e;
    }
  }

  /** Starts everything; all services there are now are known when this returns. */
  static NetworkServices start(Fabric fabric, Transport transport, RandomGenerator random)
      throws RuntimeFailure, InterruptedException {
    // Owned first: until a relay listens, the kernel refuses at once. A packet to a service that
    // nobody owns would leave through the host and be somebody else's.
    fabric.own(Subnet.parse(ApiServer.SERVICE_RANGE));
    return new NetworkServices(fabric, transport, random);
  }

  Services services() {
    return services;
  }

  /**
   * The server advertises the host's address in the pods' network, but listens on loopback only, so
   * that nobody else on the machine's networks finds it. Its relay knows the way.
   */
  void leadToApi(int port) {
    relays.detour(
        new InetSocketAddress(fabric.hostAddress(), port), new InetSocketAddress(LOOPBACK, port));
  }

  @Override
  public void close() {
    dns.close();
    services.close();
    relays.close();
  }
}
