package dev.regroup.server.talk;

import dev.regroup.server.spdy.SpdyStream;
import dev.regroup.server.wire.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections of one talk: each copied by two virtual threads until both sides have ended. */
final class ForwardedConnections implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ForwardedConnections.class);
  private static final int PIECE = 32 * 1024;
  private static final int HIGHEST_PORT = 65_535;

  private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** Carries one connection from its beginning to its end. */
  void forward(PortDialer dialer, SpdyStream data, SpdyStream error) {
    try {
      try (var pod = dialer.connect(port(data))) {
        open.add(pod);
        if (closed) {
          return; // close() may have looked too early
        }
        carry(pod, data);
      } catch (TalkRefused refused) {
        byte[] why = String.valueOf(refused.getMessage()).getBytes(StandardCharsets.UTF_8);
        error.write(why, why.length);
      }
      data.end();
      error.end();
    } catch (IOException e) {
      LOG.debug("a forwarded connection broke off: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      data.forget();
      error.forget();
    }
  }

  private static int port(SpdyStream data) throws TalkRefused {
    try {
      int port = Integer.parseInt(data.header("port"));
      if (port > 0 && port <= HIGHEST_PORT) {
        return port;
      }
    } catch (NumberFormatException e) {
      LOG.debug("not a port", e);
    }
    throw new TalkRefused(
        Status.badRequest(
            "\"port\" must be a number from 1 to 65535, got \"" + data.header("port") + "\""));
  }

  private void carry(SocketChannel pod, SpdyStream data) throws IOException, InterruptedException {
    var there =
        Thread.ofVirtual()
            .name("forward-there")
            .start(() -> {
              try {
                toPod(data, pod);
              } catch (IOException e) {
                quietly(pod); // the client gave it up, or the pod reads no more
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    try {
      var buffer = ByteBuffer.allocate(PIECE);
      while (pod.read(buffer) >= 0) {
        data.write(buffer.array(), buffer.position());
        buffer.clear();
      }
      data.end();
    } finally {
      open.remove(pod);
      // A client that hears the end closes its side; one that does not must not keep the pod's.
      data.forget();
      there.join();
    }
  }

  private static void toPod(SpdyStream data, SocketChannel pod)
      throws IOException, InterruptedException {
    for (byte[] piece = data.read(); piece != null; piece = data.read()) {
      var buffer = ByteBuffer.wrap(piece);
      while (buffer.hasRemaining()) {
        pod.write(buffer);
      }
    }
    pod.shutdownOutput();
  }

  private static void quietly(SocketChannel pod) {
    try {
      pod.close();
    } catch (IOException e) {
      LOG.debug("closing a connection", e);
    }
  }

  /** Ends them all: the client has gone. */
  @Override
  public void close() {
    closed = true;
    open.forEach(ForwardedConnections::quietly);
  }
}
