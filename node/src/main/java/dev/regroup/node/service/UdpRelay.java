package dev.regroup.node.service;

import dev.regroup.client.Joins;
import dev.regroup.client.queue.Ticker;
import dev.regroup.node.service.RelayPlan.Backends;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries datagrams of one port of a cluster address. Who sends one begins a flow: a socket of its
 * own towards one endpoint, whose answers go back to the sender. A flow ends when nothing came in
 * either direction for a while, when its endpoint refuses, or when the endpoint is no longer one.
 *
 * <p>One thread reads what clients send and is the only one that begins flows; each flow has a
 * thread for the answers.
 */
final class UdpRelay implements Relay {
  private static final Logger LOG = LoggerFactory.getLogger(UdpRelay.class);
  private static final int LARGEST = 65_536;

  private final DatagramChannel front;
  private final EndpointChoice choice;
  private final Limits limits;
  private final Map<InetSocketAddress, Flow> flows = new ConcurrentHashMap<>();
  private final Thread reader;

  /**
   * What all relays of datagrams share.
   *
   * @param free flows that may still begin
   * @param idle how long a flow may be silent
   */
  record Limits(Semaphore free, Duration idle, Ticker ticker) {}

  /** Takes over a bound socket. */
  UdpRelay(String name, DatagramChannel front, EndpointChoice choice, Limits limits) {
    this.front = front;
    this.choice = choice;
    this.limits = limits;
    this.reader = Thread.ofVirtual().name(name).start(this::read);
  }

  @Override
  public void follow(Backends backends) {
    choice.follow(backends);
    flows.values().stream().filter(flow -> !choice.has(flow.endpoint)).forEach(Flow::close);
  }

  /** Ends all flows, too: without the front nobody gets an answer. */
  @Override
  public void close() {
    Closing.quietly(front);
    Joins.uninterruptibly(reader);
    flows
        .values()
        .forEach(flow -> {
          flow.close();
          Joins.uninterruptibly(flow.thread);
        });
  }

  private void read() {
    var bytes = new byte[LARGEST];
    var buffer = ByteBuffer.wrap(bytes);
    while (front.isOpen()) {
      try {
        var client = (InetSocketAddress) front.receive(buffer.clear());
        Optional<Flow> flow = flowOf(client);
        if (flow.isPresent()) {
          flow.get().send(bytes, buffer.position());
        }
      } catch (ClosedChannelException closed) {
        return;
      } catch (IOException e) {
        LOG.debug("A datagram to a service is lost: {}", e.getMessage());
      }
    }
  }

  private Optional<Flow> flowOf(InetSocketAddress client) throws IOException {
    Flow known = flows.get(client);
    if (known != null && !known.socket.isClosed()) {
      return Optional.of(known);
    }
    if (!limits.free().tryAcquire()) {
      LOG.debug("A datagram of {} to a service is dropped: too many flows are open", client);
      return Optional.empty();
    }
    try {
      InetSocketAddress endpoint = choice.candidates(client.getAddress(), 1).getFirst();
      var flow = new Flow(client, endpoint);
      choice.chosen(client.getAddress(), endpoint);
      flows.put(client, flow);
      flow.thread.start();
      return Optional.of(flow);
    } catch (IOException e) {
      limits.free().release();
      throw e;
    }
  }

  /** One client and its endpoint. */
  private final class Flow {
    private final InetSocketAddress client;
    private final InetSocketAddress endpoint;
    private final DatagramSocket socket = new DatagramSocket();
    private final Thread thread = Thread.ofVirtual().name("relay-answers").unstarted(this::answer);
    private volatile long lastUsed = limits.ticker().nanos();

    Flow(InetSocketAddress client, InetSocketAddress endpoint) throws IOException {
      this.client = client;
      this.endpoint = endpoint;
      try {
        socket.connect(endpoint); // answers of others do not count, and a refusal is noticed
      } catch (IOException e) {
        socket.close();
        throw e;
      }
    }

    void send(byte[] bytes, int length) throws IOException {
      lastUsed = limits.ticker().nanos();
      socket.send(new DatagramPacket(bytes, length, endpoint));
    }

    void close() {
      socket.close(); // the thread of the answers does the rest
    }

    private void answer() {
      var packet = new DatagramPacket(new byte[LARGEST], LARGEST);
      try {
        for (long left = left(); left > 0; left = left()) {
          socket.setSoTimeout((int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
          try {
            socket.receive(packet);
          } catch (SocketTimeoutException silent) {
            continue; // the client may have sent something meanwhile
          }
          lastUsed = limits.ticker().nanos();
          front.send(ByteBuffer.wrap(packet.getData(), 0, packet.getLength()), client);
          packet.setLength(LARGEST);
        }
      } catch (IOException e) {
        LOG.trace("A flow to {} ends: {}", endpoint, e.getMessage());
      } finally {
        socket.close();
        flows.remove(client, this);
        limits.free().release();
      }
    }

    private long left() {
      return limits.idle().toNanos() - (limits.ticker().nanos() - lastUsed);
    }
  }
}
