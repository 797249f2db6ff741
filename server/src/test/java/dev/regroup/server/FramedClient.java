package dev.regroup.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.client.Request;
import dev.regroup.server.websocket.ScriptedClient;
import dev.regroup.server.wire.Duplex;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The client's end of a WebSocket, as little of it as tests need. */
final class FramedClient implements AutoCloseable {
  private static final int BINARY = 0x82;
  private static final int CLOSE = 0x88;

  private final Duplex server;
  private byte[] pending = {};

  FramedClient(Duplex server) {
    this.server = server;
  }

  /** A request that asks for a talk. */
  static Request ask(String path, String query, String protocol) {
    var request =
        Request.get(path, query)
            .withHeader("connection", "Upgrade")
            .withHeader("upgrade", "websocket")
            .withHeader("sec-websocket-version", "13")
            .withHeader("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    return protocol.isEmpty() ? request : request.withHeader("sec-websocket-protocol", protocol);
  }

  void say(int channel, String text) throws Exception {
    var message = new ByteArrayOutputStream();
    message.write(channel);
    message.writeBytes(text.getBytes(UTF_8));
    server.write(ScriptedClient.frame(BINARY, message.toByteArray()));
  }

  void say(byte... message) throws Exception {
    server.write(ScriptedClient.frame(BINARY, message));
  }

  /** The next message, its channel as a digit in front; null after the good-bye. */
  @Nullable String hear() throws Exception {
    byte[] message = message();
    return message == null ? null : message[0] + new String(message, 1, message.length - 1, UTF_8);
  }

  /** The next message as it is; null after the good-bye. */
  byte @Nullable [] message() throws Exception {
    int first = take(1)[0] & 0xff;
    int length = take(1)[0] & 0xff;
    if (length == 126) {
      byte[] more = take(2);
      length = (more[0] & 0xff) << 8 | (more[1] & 0xff);
    }
    byte[] payload = take(length);
    return first == CLOSE ? null : payload;
  }

  private byte[] take(int count) throws Exception {
    while (pending.length < count) {
      byte[] more = server.read();
      if (more == null) {
        throw new AssertionError("the server has gone without a word");
      }
      int before = pending.length;
      pending = Arrays.copyOf(pending, before + more.length);
      System.arraycopy(more, 0, pending, before, more.length);
    }
    byte[] taken = Arrays.copyOf(pending, count);
    pending = Arrays.copyOfRange(pending, count, pending.length);
    return taken;
  }

  @Override
  public void close() {
    server.close();
  }
}
