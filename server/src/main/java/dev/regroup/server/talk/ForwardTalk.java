package dev.regroup.server.talk;

import dev.regroup.server.spdy.SpdyConnection;
import dev.regroup.server.spdy.SpdyStream;
import dev.regroup.server.websocket.WebSocket;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Duplex;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Forwards connections to ports of a pod: SPDY inside of a WebSocket, as kubectl speaks it. Each
 * connection is two streams of the client with one {@code requestid}: what goes to and fro, and,
 * opened first, what went wrong. When one cannot be made, the others go on.
 */
public final class ForwardTalk implements Answer.Talk {

  public static final String PROTOCOL = "SPDY/3.1+portforward.k8s.io";

  private final PortDialer dialer;
  private final Map<String, SpdyStream> halves = new HashMap<>(); // of the thread that serves

  public ForwardTalk(PortDialer dialer) {
    this.dialer = dialer;
  }

  @Override
  public void with(Duplex client) throws IOException, InterruptedException {
    try (var socket = new WebSocket(client);
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        var connections = new ForwardedConnections();
        var spdy =
            new SpdyConnection(
                new MessageInput(socket),
                socket::send,
                stream -> began(stream, threads, connections))) {
      spdy.serve();
      socket.close(); // whoever still writes is told
    }
  }

  private void began(SpdyStream stream, ExecutorService threads, ForwardedConnections connections) {
    var request = stream.header("requestid");
    var other = halves.remove(request);
    if (other == null) {
      halves.put(request, stream);
      return;
    }
    boolean second = stream.header("streamtype").equals("data");
    var data = second ? stream : other;
    var error = second ? other : stream;
    var _ = threads.submit(() -> connections.forward(dialer, data, error));
  }
}
