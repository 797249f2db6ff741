package dev.regroup.node.service;

import dev.regroup.client.Joins;
import dev.regroup.node.service.RelayPlan.Backends;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections at one port of a cluster address and hands them to {@link Connections}. When
 * it is closed, connections it let in go on until they end by themselves.
 */
final class TcpRelay implements Relay {
  private static final Logger LOG = LoggerFactory.getLogger(TcpRelay.class);

  private static final long PAUSE = 10_000_000; // nanoseconds: 10 ms

  private final ServerSocketChannel front;
  private final EndpointChoice choice;
  private final Connections connections;
  private final Thread acceptor;

  /** Takes over a listening socket. */
  TcpRelay(String name, ServerSocketChannel front, EndpointChoice choice, Connections connections) {
    this.front = front;
    this.choice = choice;
    this.connections = connections;
    this.acceptor = Thread.ofVirtual().name(name).start(this::accept);
  }

  @Override
  public void follow(Backends backends) {
    choice.follow(backends);
  }

  @Override
  public void close() {
    Closing.quietly(front);
    Joins.uninterruptibly(acceptor);
  }

  private void accept() {
    while (front.isOpen()) {
      try {
        SocketChannel client = front.accept();
        var address = (InetSocketAddress) client.getRemoteAddress();
        connections.carry(client, address.getAddress(), choice);
      } catch (ClosedChannelException closed) {
        return;
      } catch (IOException e) {
        LOG.debug("A connection to a service is lost: {}", e.getMessage());
        LockSupport.parkNanos(PAUSE); // without free descriptors it would fail at once again
      }
    }
  }
}
