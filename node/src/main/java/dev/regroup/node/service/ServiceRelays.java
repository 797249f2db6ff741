package dev.regroup.node.service;

import dev.regroup.client.ObjectKey;
import dev.regroup.client.queue.Outcome;
import dev.regroup.client.queue.Ticker;
import dev.regroup.client.queue.WorkQueue;
import dev.regroup.node.service.RelayPlan.Backends;
import dev.regroup.node.service.RelayPlan.Front;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.fabric.Fabric;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.random.RandomGenerator;

/**
 * Answers at the cluster addresses of services, inside the pods' network. A change of a service or
 * a slice has one service looked at again; only what changed of it is opened, told or closed. One
 * thread owns all of that, others carry bytes.
 *
 * <p>A port without endpoints is not listened at: the kernel refuses at once, as in Kubernetes.
 * After a crash nothing is left, and everything is opened again from the view of services.
 */
public final class ServiceRelays implements AutoCloseable {
  private final Fabric fabric;
  private final ClusterServices services;
  private final RandomGenerator random;
  private final Connections connections;
  private final UdpRelay.Limits flows;
  private final Map<ObjectKey, Map<Front, Relay>> relays = new HashMap<>(); // the queue's thread's
  private final WorkQueue<ObjectKey> queue;

  /**
   * How much is relayed.
   *
   * @param mostConnections of all services together; each costs two sockets and 32 KiB
   * @param mostFlows clients whose datagrams are relayed at the same time, of all services together
   * @param idle how long a client of datagrams may be silent until it is forgotten
   */
  public record Settings(int mostConnections, int mostFlows, Duration idle) {
    public static final Settings STANDARD = new Settings(4096, 1024, Duration.ofMinutes(1));
  }

  private ServiceRelays(
      Fabric fabric, ClusterServices services, Settings settings, RandomGenerator random) {
    this.fabric = fabric;
    this.services = services;
    this.random = random;
    this.connections = new Connections(settings.mostConnections());
    this.flows =
        new UdpRelay.Limits(new Semaphore(settings.mostFlows()), settings.idle(), Ticker.SYSTEM);
    this.queue = new WorkQueue<>(WorkQueue.Settings.of("relays", 1), this::look);
  }

  /**
   * Relays for services that are not started yet. The fabric must own their addresses; it is closed
   * after the relays.
   */
  public static ServiceRelays start(
      Fabric fabric, ClusterServices services, Settings settings, RandomGenerator random) {
    var relays = new ServiceRelays(fabric, services, settings, random);
    services.listen(relays.queue::add);
    return relays;
  }

  /** Connections for this endpoint are made to another address, where it really listens. */
  public void detour(InetSocketAddress endpoint, InetSocketAddress way) {
    connections.detour(endpoint, way);
  }

  /** Closes every socket and waits until all threads have ended. */
  @Override
  public void close() {
    queue.close();
    relays.values().forEach(ofService -> ofService.values().forEach(Relay::close));
    relays.clear();
    connections.close();
  }

  private Outcome look(ObjectKey key) throws RuntimeFailure, IOException {
    RelayPlan plan =
        services
            .service(key)
            .map(service -> RelayPlan.of(service, services.slices(key)))
            .orElse(RelayPlan.NOTHING);
    Map<Front, Relay> present = relays.computeIfAbsent(key, _ -> new HashMap<>());
    present
        .entrySet()
        .removeIf(relay -> {
          boolean gone = !plan.relays().containsKey(relay.getKey());
          if (gone) {
            relay.getValue().close();
          }
          return gone;
        });
    try {
      open(plan, present);
    } finally {
      if (present.isEmpty()) {
        relays.remove(key);
      }
    }
    return Outcome.settled();
  }

  /** A front that cannot be opened, such as a node port somebody has, is in nobody's way. */
  private void open(RelayPlan plan, Map<Front, Relay> present) throws RuntimeFailure, IOException {
    RuntimeFailure refused = null;
    IOException taken = null;
    for (var wanted : plan.relays().entrySet()) {
      Relay relay = present.get(wanted.getKey());
      if (relay != null) {
        relay.follow(wanted.getValue());
        continue;
      }
      try {
        present.put(wanted.getKey(), open(wanted.getKey(), wanted.getValue()));
      } catch (RuntimeFailure e) {
        refused = e;
      } catch (IOException e) {
        taken = new IOException(wanted.getKey() + ": " + e.getMessage(), e);
      }
    }
    if (refused != null) {
      throw refused;
    }
    if (taken != null) {
      throw taken;
    }
  }

  /** Fails while another service still has the front, and is tried again then. */
  private Relay open(Front front, Backends backends) throws RuntimeFailure, IOException {
    var choice = new EndpointChoice(backends, Ticker.SYSTEM, random);
    String name = "relay " + front;
    return switch (front.transmission()) {
      case CONNECTIONS -> new TcpRelay(name, listen(front), choice, connections);
      case DATAGRAMS -> new UdpRelay(name, openDatagram(front), choice, flows);
    };
  }

  private ServerSocketChannel listen(Front front) throws RuntimeFailure, IOException {
    return switch (front.place()) {
      case CLUSTER -> fabric.listen(front.socket());
      case NODE -> bound(ServerSocketChannel.open(StandardProtocolFamily.INET), front);
    };
  }

  private DatagramChannel openDatagram(Front front) throws RuntimeFailure, IOException {
    return switch (front.place()) {
      case CLUSTER -> fabric.openDatagram(front.socket());
      case NODE -> bound(DatagramChannel.open(StandardProtocolFamily.INET), front);
    };
  }

  private static <C extends NetworkChannel> C bound(C channel, Front front) throws IOException {
    try {
      channel.bind(front.socket());
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }
}
