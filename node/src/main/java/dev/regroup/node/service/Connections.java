package dev.regroup.node.service;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Every relayed connection of this node. There is a limit; who comes beyond it is reset. */
final class Connections implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

  private final int most;
  private final Semaphore free;
  private final Set<Connection> open = ConcurrentHashMap.newKeySet();
  private final Map<InetSocketAddress, InetSocketAddress> detours = new ConcurrentHashMap<>();
  private volatile boolean closed;

  Connections(int most) {
    this.most = most;
    this.free = new Semaphore(most);
  }

  /** Connections for this endpoint are made to another address. */
  void detour(InetSocketAddress endpoint, InetSocketAddress way) {
    detours.put(endpoint, way);
  }

  /** Takes over a client's connection and carries it to an endpoint. Does not wait. */
  void carry(SocketChannel client, InetAddress address, EndpointChoice choice) {
    if (closed || !free.tryAcquire()) {
      LOG.debug(
          "A connection of {} to a service is refused: {} are open",
          address.getHostAddress(),
          most);
      Closing.reset(client);
      return;
    }
    var connection = new Connection(client, address, choice, this);
    open.add(connection);
    connection.start();
    if (closed) {
      connection.close(); // close() may have looked too early
    }
  }

  int count() {
    return open.size();
  }

  /** Resets all of them and waits until their threads have ended. */
  @Override
  public void close() {
    closed = true;
    for (Connection connection : open) {
      connection.close();
      connection.join();
    }
  }

  /** Where to connect for an endpoint. */
  InetSocketAddress way(InetSocketAddress endpoint) {
    return detours.getOrDefault(endpoint, endpoint);
  }

  /** The threads of a connection have ended. */
  void ended(Connection connection) {
    open.remove(connection);
    free.release();
  }
}
