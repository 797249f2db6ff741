package dev.regroup.node.service;

import dev.regroup.client.Joins;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One relayed connection: a socket of the client, one towards an endpoint, and a virtual thread for
 * each direction. A thread reads again only when everything is written, so who does not read holds
 * up who writes, as without a relay.
 *
 * <pre>
 *   one side                          the other side
 *   ends its output                   sees the end, and may still write
 *   resets, or is gone                sees a reset
 * </pre>
 *
 * <p>The socket towards the endpoint is the host's: it reaches every pod, pods in the host's own
 * network too, and lets a pod reach itself through its service.
 */
final class Connection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);
  private static final int BUFFER = 16 * 1024;
  private static final int MOST_TRIES = 3; // endpoints, while they do not answer
  private static final int PATIENCE = (int) Duration.ofSeconds(3).toMillis(); // with each
  private static final int SILENCE = 60; // seconds until the kernel asks whether a peer lives
  private static final int BETWEEN_QUESTIONS = 10; // seconds
  private static final int QUESTIONS = 3; // without an answer, then it is gone

  private final SocketChannel client;
  private final InetAddress address;
  private final EndpointChoice choice;
  private final Connections all;
  private final Thread thread;
  private volatile @Nullable SocketChannel endpoint;
  private volatile boolean closed;

  /** Takes over the client's socket. */
  Connection(SocketChannel client, InetAddress address, EndpointChoice choice, Connections all) {
    this.client = client;
    this.address = address;
    this.choice = choice;
    this.all = all;
    this.thread = Thread.ofVirtual().name("relay-there").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  void join() {
    Joins.uninterruptibly(thread);
  }

  /** Resets both sides. Any thread, any number of times. */
  @Override
  public void close() {
    closed = true;
    Closing.reset(client);
    var other = endpoint;
    if (other != null) {
      Closing.reset(other);
    }
  }

  private void run() {
    try {
      var found = connect();
      if (found.isEmpty()) {
        close();
        return;
      }
      var back = Thread.ofVirtual().name("relay-back").start(() -> pump(found.get(), client));
      pump(client, found.get());
      Joins.uninterruptibly(back);
      Closing.quietly(found.get());
      Closing.quietly(client);
    } finally {
      all.ended(this);
    }
  }

  /** Endpoints that die are still listed for a moment, so another one is tried. */
  private Optional<SocketChannel> connect() {
    for (InetSocketAddress candidate : choice.candidates(address, MOST_TRIES)) {
      try {
        var channel = SocketChannel.open(StandardProtocolFamily.INET);
        endpoint = channel;
        if (closed) {
          Closing.quietly(channel); // close() may have looked too early
          return Optional.empty();
        }
        channel.socket().connect(all.way(candidate), PATIENCE);
        choice.chosen(address, candidate);
        tune(channel);
        tune(client);
        return Optional.of(channel);
      } catch (IOException e) {
        LOG.debug("Endpoint {} of a service does not answer: {}", candidate, e.getMessage());
        var failed = endpoint;
        if (failed != null) {
          Closing.quietly(failed);
        }
      }
    }
    return Optional.empty();
  }

  /** A relay adds no delay of its own, and does not wait for ever for a peer that vanished. */
  private static void tune(SocketChannel channel) throws IOException {
    channel
        .setOption(StandardSocketOptions.TCP_NODELAY, true)
        .setOption(StandardSocketOptions.SO_KEEPALIVE, true)
        .setOption(ExtendedSocketOptions.TCP_KEEPIDLE, SILENCE)
        .setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, BETWEEN_QUESTIONS)
        .setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, QUESTIONS);
  }

  private void pump(SocketChannel from, SocketChannel to) {
    var buffer = ByteBuffer.allocate(BUFFER);
    try {
      while (from.read(buffer) >= 0) {
        buffer.flip();
        while (buffer.hasRemaining()) {
          to.write(buffer);
        }
        buffer.clear();
      }
      to.shutdownOutput();
    } catch (IOException e) {
      LOG.trace("A connection to a service broke off: {}", e.getMessage());
      close(); // the other direction ends with it
    }
  }
}
