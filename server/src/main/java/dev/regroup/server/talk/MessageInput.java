package dev.regroup.server.talk;

import dev.regroup.server.websocket.WebSocket;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import org.jspecify.annotations.Nullable;

/** The bytes of all messages of a client, one after the other. For one thread. */
final class MessageInput extends InputStream {

  private static final byte[] NOTHING = {};

  private final WebSocket socket;
  private byte[] pending = NOTHING;
  private int at;

  MessageInput(WebSocket socket) {
    this.socket = socket;
  }

  @Override
  public int read() throws IOException {
    return fill() ? pending[at++] & 0xff : -1;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int count = Math.min(length, pending.length - at);
    System.arraycopy(pending, at, into, offset, count);
    at += count;
    return count;
  }

  private boolean fill() throws IOException {
    while (at == pending.length) {
      var message = receive();
      if (message == null) {
        return false;
      }
      pending = message.bytes();
      at = 0;
    }
    return true;
  }

  private WebSocket.@Nullable Message receive() throws IOException {
    try {
      return socket.receive();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }
}
