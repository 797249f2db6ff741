package dev.regroup.server.websocket;

import dev.regroup.server.wire.Duplex;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A talk in messages. One thread receives, any number send; who sends waits while the client is
 * slow. Pings are answered and fragments joined here. A client that breaks the rules is told so and
 * the talk is over.
 */
public final class WebSocket implements AutoCloseable {

  /** The longest message of a client: 1 MiB. Kubernetes' clients send 32 KiB at most. */
  static final int LONGEST_MESSAGE = 1 << 20;

  private static final int NORMAL = 1000;
  private static final int LAST = 0x80;
  private static final int LONGEST_REASON = 123;

  private final Duplex client;
  private final FrameInput frames;
  private final ReentrantLock sending = new ReentrantLock();
  private boolean ended; // guarded by sending: a close frame was sent, nothing may follow

  public WebSocket(Duplex client) {
    this.client = client;
    this.frames = new FrameInput(client, LONGEST_MESSAGE);
  }

  /** Of either kind; most protocols do not tell them apart. */
  public record Message(boolean text, byte[] bytes) {}

  /** The next message; null when the client has said good-bye or has gone. */
  public @Nullable Message receive() throws IOException, InterruptedException {
    try {
      return assembled();
    } catch (BrokenTalk broken) {
      end(broken.code(), String.valueOf(broken.getMessage()));
      throw broken;
    }
  }

  private @Nullable Message assembled() throws IOException, InterruptedException {
    ByteArrayOutputStream parts = null;
    int kind = FrameInput.CONTINUATION;
    while (true) {
      var frame = frames.next();
      if (frame == null) {
        return null;
      }
      if (frame.isControl()) {
        if (control(frame)) {
          continue;
        }
        return null;
      }
      boolean first = frame.kind() != FrameInput.CONTINUATION;
      if (first == (parts != null)) {
        throw BrokenTalk.protocol("a message must be whole before the next begins");
      }
      if (first) {
        kind = frame.kind();
        if (frame.last()) {
          return message(kind, frame.payload());
        }
        parts = new ByteArrayOutputStream();
      }
      if (parts == null || parts.size() + frame.payload().length > LONGEST_MESSAGE) {
        throw new BrokenTalk(
            BrokenTalk.TOO_BIG, "a message has at most " + LONGEST_MESSAGE + " bytes");
      }
      parts.writeBytes(frame.payload());
      if (frame.last()) {
        return message(kind, parts.toByteArray());
      }
    }
  }

  private static Message message(int kind, byte[] bytes) throws BrokenTalk {
    boolean text = kind == FrameInput.TEXT;
    if (text) {
      try {
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      } catch (CharacterCodingException e) {
        throw new BrokenTalk(BrokenTalk.BAD_TEXT, "text must be UTF-8");
      }
    }
    return new Message(text, bytes);
  }

  /** Whether the talk goes on. */
  private boolean control(FrameInput.Frame frame) throws IOException, InterruptedException {
    switch (frame.kind()) {
      case FrameInput.PING -> send(FrameInput.PONG, frame.payload());
      case FrameInput.CLOSE -> {
        end(NORMAL, "");
        return false;
      }
      default -> {} // an answer to nothing we asked
    }
    return true;
  }

  /** Sends a message of bytes, or does nothing if the talk is over. */
  public void send(byte[] bytes) throws IOException, InterruptedException {
    send(FrameInput.BINARY, bytes);
  }

  /** The same with one byte in front. */
  public void send(byte front, byte[] bytes, int length) throws IOException, InterruptedException {
    byte[] all = new byte[1 + length];
    all[0] = front;
    System.arraycopy(bytes, 0, all, 1, length);
    send(all);
  }

  /** Sends a message of text. */
  public void sendText(byte[] utf8) throws IOException, InterruptedException {
    send(FrameInput.TEXT, utf8);
  }

  private void send(int kind, byte[] payload) throws IOException, InterruptedException {
    byte[] frame = frame(kind, payload);
    sending.lockInterruptibly();
    try {
      if (!ended) {
        ended = kind == FrameInput.CLOSE;
        client.write(frame);
      }
    } finally {
      sending.unlock();
    }
  }

  private static byte[] frame(int kind, byte[] payload) {
    int length = payload.length;
    int extra = length < 126 ? 0 : length <= 0xffff ? 2 : 8;
    var frame = ByteBuffer.allocate(2 + extra + length).put((byte) (LAST | kind));
    switch (extra) {
      case 0 -> frame.put((byte) length);
      case 2 -> frame.put((byte) 126).putShort((short) length);
      default -> frame.put((byte) 127).putLong(length);
    }
    return frame.put(payload).array();
  }

  /** Says good-bye; nothing is sent after it. */
  public void end() throws IOException, InterruptedException {
    end(NORMAL, "");
  }

  private void end(int code, String reason) throws IOException, InterruptedException {
    byte[] why = reason.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(why.length, LONGEST_REASON);
    var payload = ByteBuffer.allocate(2 + length).putShort((short) code).put(why, 0, length);
    send(FrameInput.CLOSE, payload.array());
  }

  /** Waits until the client has answered a good-bye; what else it says is dropped. */
  public void awaitEnd(Duration patience) throws InterruptedException {
    var rest = Thread.ofVirtual().name("talk-farewell").start(this::dropRest);
    if (!rest.join(patience)) {
      close();
      rest.join();
    }
  }

  private void dropRest() {
    try {
      while (receive() != null) {
        Thread.onSpinWait();
      }
    } catch (IOException e) {
      return; // it has gone
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the talk at once; who receives or sends is told by an exception. */
  @Override
  public void close() {
    client.close();
  }
}
