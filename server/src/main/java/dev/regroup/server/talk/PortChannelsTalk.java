package dev.regroup.server.talk;

import dev.regroup.server.websocket.WebSocket;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Duplex;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards one connection to each of a few ports, as clients other than kubectl do it: the n-th
 * port of the request has channel 2n for what goes to and fro and 2n+1 for what went wrong, and
 * each channel begins with its port as two bytes, the lower first.
 */
public final class PortChannelsTalk implements Answer.Talk {

  private static final Logger LOG = LoggerFactory.getLogger(PortChannelsTalk.class);
  private static final int PIECE = 32 * 1024;

  private final PortDialer dialer;
  private final List<Integer> ports;

  public PortChannelsTalk(PortDialer dialer, List<Integer> ports) {
    this.dialer = dialer;
    this.ports = List.copyOf(ports);
  }

  @Override
  public void with(Duplex client) throws IOException, InterruptedException {
    var connections = new HashMap<Integer, SocketChannel>(); // by channel
    var copies = new ArrayList<Thread>();
    try (var socket = new WebSocket(client)) {
      for (int i = 0; i < ports.size(); i++) {
        int channel = 2 * i;
        int port = ports.get(i);
        byte[] number = {(byte) port, (byte) (port >> 8)};
        socket.send((byte) channel, number, number.length);
        socket.send((byte) (channel + 1), number, number.length);
        try {
          var pod = dialer.connect(port);
          connections.put(channel, pod);
          copies.add(
              Thread.ofVirtual()
                  .name("forward-back")
                  .start(() -> toClient(pod, (byte) channel, socket)));
        } catch (TalkRefused refused) {
          byte[] why = String.valueOf(refused.getMessage()).getBytes(StandardCharsets.UTF_8);
          socket.send((byte) (channel + 1), why, why.length);
        }
      }
      toPods(socket, connections);
    } finally {
      for (var pod : connections.values()) {
        pod.close();
      }
      for (var copy : copies) {
        copy.join();
      }
    }
  }

  private static void toPods(WebSocket socket, Map<Integer, SocketChannel> connections)
      throws IOException, InterruptedException {
    for (var message = socket.receive(); message != null; message = socket.receive()) {
      byte[] bytes = message.bytes();
      var pod = bytes.length == 0 ? null : connections.get(bytes[0] & 0xff);
      if (pod == null) {
        continue; // a channel for the other direction, or one that could not be connected
      }
      var rest = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
      try {
        while (rest.hasRemaining()) {
          pod.write(rest);
        }
      } catch (IOException e) {
        LOG.debug("a pod reads no more: {}", e.getMessage());
      }
    }
  }

  /** The end of an only connection is the end of the talk; the protocol has no word for others. */
  private void toClient(SocketChannel pod, byte channel, WebSocket socket) {
    var buffer = ByteBuffer.allocate(PIECE);
    try {
      while (pod.read(buffer) >= 0) {
        socket.send(channel, buffer.array(), buffer.position());
        buffer.clear();
      }
      if (ports.size() == 1) {
        socket.end();
      }
    } catch (IOException e) {
      LOG.debug("a forwarded connection broke off: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
