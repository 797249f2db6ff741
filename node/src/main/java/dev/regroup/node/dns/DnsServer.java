package dev.regroup.node.dns;

import static java.util.Objects.requireNonNull;

import dev.regroup.client.Joins;
import dev.regroup.node.dns.DnsAnswers.Carrier;
import dev.regroup.node.dns.DnsAnswers.Outcome;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.fabric.Fabric;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries packets between sockets and {@link DnsAnswers}. Names of the cluster are answered at once
 * on the thread that read the query ({@code dns} for datagrams); what must be asked elsewhere waits
 * on a virtual thread of its own. Every kind of work has a limit: beyond it a query is told that
 * the server failed, and a connection is closed.
 */
public final class DnsServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DnsServer.class);
  private static final int PORT = 53;
  private static final int MOST_ASKED = 256; // questions under way to other servers
  private static final int MOST_CONNECTIONS = 128;
  private static final int IDLE = 10_000; // milliseconds a connection may be silent
  private static final int LARGEST_DATAGRAM = 4096; // a query is far smaller

  private final DatagramChannel datagrams;
  private final ServerSocketChannel connections;
  private final Supplier<DnsNames> names;
  private final Upstream upstream;
  private final Semaphore asked = new Semaphore(MOST_ASKED);
  private final Semaphore connected = new Semaphore(MOST_CONNECTIONS);
  private final Set<Thread> workers = ConcurrentHashMap.newKeySet();
  private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
  private final Thread reader;
  private final Thread acceptor;

  /** Takes over two bound sockets; they are closed with the server. */
  DnsServer(
      DatagramChannel datagrams,
      ServerSocketChannel connections,
      Supplier<DnsNames> names,
      Upstream upstream) {
    this.datagrams = requireNonNull(datagrams, "datagrams");
    this.connections = requireNonNull(connections, "connections");
    this.names = requireNonNull(names, "names");
    this.upstream = requireNonNull(upstream, "upstream");
    this.reader = Thread.ofPlatform().name("dns").daemon().unstarted(this::readDatagrams);
    this.acceptor = Thread.ofVirtual().name("dns-accept").unstarted(this::accept);
  }

  /** Serves names to the pods of this fabric, at its gateway. */
  public static DnsServer start(Fabric fabric, Supplier<DnsNames> names, Upstream upstream)
      throws RuntimeFailure {
    var local = new InetSocketAddress(fabric.gateway(), PORT);
    DatagramChannel datagrams = fabric.openDatagram(local);
    try {
      return start(datagrams, fabric.listen(local), names, upstream);
    } catch (RuntimeFailure e) {
      closeQuietly(datagrams);
      throw e;
    }
  }

  static DnsServer start(
      DatagramChannel datagrams,
      ServerSocketChannel connections,
      Supplier<DnsNames> names,
      Upstream upstream) {
    var server = new DnsServer(datagrams, connections, names, upstream);
    server.reader.start();
    server.acceptor.start();
    return server;
  }

  /** Closes the sockets and waits until every thread has ended. */
  @Override
  public void close() {
    closeQuietly(datagrams);
    closeQuietly(connections);
    Joins.uninterruptibly(reader);
    Joins.uninterruptibly(acceptor); // nobody starts work any more
    open.forEach(DnsServer::closeQuietly);
    for (Thread worker : workers) {
      worker.interrupt(); // it may wait for another server
      Joins.uninterruptibly(worker);
    }
  }

  /** A message as it travels in a stream: its length goes first. */
  static byte[] framed(byte[] packet) {
    return ByteBuffer.allocate(2 + packet.length)
        .putShort((short) packet.length)
        .put(packet)
        .array();
  }

  private void readDatagrams() {
    var buffer = ByteBuffer.allocate(LARGEST_DATAGRAM);
    while (datagrams.isOpen()) {
      try {
        SocketAddress from = datagrams.receive(buffer.clear());
        var packet = new byte[buffer.flip().remaining()];
        buffer.get(packet);
        answer(packet, from);
      } catch (ClosedChannelException closed) {
        return;
      } catch (IOException e) {
        LOG.debug("A name query is lost: {}", e.getMessage());
      } catch (RuntimeException e) {
        LOG.error("A name query met a bug", e);
      }
    }
  }

  private void answer(byte[] packet, SocketAddress from) throws IOException {
    switch (DnsAnswers.answer(names.get(), packet, Carrier.DATAGRAM)) {
      case Outcome.Reply(byte[] reply) -> datagrams.send(ByteBuffer.wrap(reply), from);
      case Outcome.Ask(byte[] failure) -> {
        if (asked.tryAcquire()) {
          work("dns-ask", () -> askAndSend(packet, failure, from));
        } else {
          datagrams.send(ByteBuffer.wrap(failure), from);
        }
      }
      case Outcome.Drop() -> {}
    }
  }

  private void askAndSend(byte[] packet, byte[] failure, SocketAddress to) {
    try {
      byte[] reply = upstream.ask(packet, Carrier.DATAGRAM).orElse(failure);
      datagrams.send(ByteBuffer.wrap(reply), to);
    } catch (IOException e) {
      LOG.debug("An answer could not be sent: {}", e.getMessage());
    } finally {
      asked.release();
    }
  }

  private void accept() {
    while (connections.isOpen()) {
      try {
        SocketChannel connection = connections.accept();
        if (!connected.tryAcquire()) {
          connection.close();
          continue;
        }
        open.add(connection);
        work("dns-connection", () -> serve(connection));
      } catch (ClosedChannelException closed) {
        return;
      } catch (IOException e) {
        LOG.debug("A connection to the name server is lost: {}", e.getMessage());
      }
    }
  }

  private void serve(SocketChannel connection) {
    try (connection) {
      var socket = connection.socket();
      socket.setSoTimeout(IDLE);
      var in = new DataInputStream(socket.getInputStream());
      var out = new DataOutputStream(socket.getOutputStream());
      while (connections.isOpen()) {
        byte[] packet = in.readNBytes(in.readUnsignedShort());
        switch (DnsAnswers.answer(names.get(), packet, Carrier.STREAM)) {
          case Outcome.Reply(byte[] reply) -> out.write(framed(reply));
          case Outcome.Ask(byte[] failure) ->
              out.write(framed(upstream.ask(packet, Carrier.STREAM).orElse(failure)));
          case Outcome.Drop() -> {
            return;
          }
        }
      }
    } catch (EOFException | SocketTimeoutException done) {
      LOG.trace("A connection to the name server has ended");
    } catch (IOException e) {
      LOG.debug("A connection to the name server broke off: {}", e.getMessage());
    } finally {
      open.remove(connection);
      connected.release();
    }
  }

  private void work(String name, Runnable task) {
    var worker =
        Thread.ofVirtual()
            .name(name)
            .unstarted(() -> {
              try {
                task.run();
              } finally {
                workers.remove(Thread.currentThread());
              }
            });
    workers.add(worker);
    worker.start();
  }

  private static void closeQuietly(Channel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("A socket could not be closed: {}", e.getMessage());
    }
  }
}
