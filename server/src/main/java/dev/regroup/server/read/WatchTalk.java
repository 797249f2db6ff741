package dev.regroup.server.read;

import dev.regroup.client.Transport;
import dev.regroup.server.websocket.WebSocket;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Duplex;
import java.io.IOException;
import java.util.Arrays;

/** A watch as a WebSocket: each event is a message. The client says nothing but good-bye. */
final class WatchTalk implements Answer.Talk {

  private final Transport.Stream events;
  private final Answer.Framing framing;

  WatchTalk(Transport.Stream events, Answer.Framing framing) {
    this.events = events;
    this.framing = framing;
  }

  @Override
  public void with(Duplex client) throws IOException, InterruptedException {
    try (events;
        var socket = new WebSocket(client)) {
      var listener = Thread.ofVirtual().name("watch-client").start(() -> listen(socket));
      try {
        for (byte[] event = events.next(); event != null; event = events.next()) {
          switch (framing) {
            case LINES -> socket.sendText(Arrays.copyOf(event, event.length - 1)); // no line break
            case BYTES -> socket.send(event);
          }
        }
        socket.end();
      } finally {
        socket.close();
        listener.join();
      }
    }
  }

  private void listen(WebSocket socket) {
    try {
      while (socket.receive() != null) {
        Thread.onSpinWait(); // whatever it is, nobody waits for it
      }
    } catch (IOException e) {
      return; // it has gone
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      events.close();
    }
  }
}
