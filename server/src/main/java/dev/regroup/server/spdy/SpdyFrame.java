package dev.regroup.server.spdy;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A frame of a client, as far as a server here has to know it. */
sealed interface SpdyFrame {

  /** The client begins a stream. */
  record Begin(int stream, boolean last, Map<String, String> headers) implements SpdyFrame {}

  /** Bytes of a stream; the last ones end what the client says in it. */
  record Data(int stream, boolean last, byte[] bytes) implements SpdyFrame {}

  /** The client wants to hear no more of a stream. */
  record Reset(int stream) implements SpdyFrame {}

  /** To be sent back. */
  record Ping(int number) implements SpdyFrame {}

  /** The client is about to leave. */
  record Leaving() implements SpdyFrame {}

  /** Something that needs no answer. */
  record Other() implements SpdyFrame {}

  int SYN_STREAM = 1;
  int SYN_REPLY = 2;
  int RST_STREAM = 3;
  int PING = 6;
  int GOAWAY = 7;
  int HEADERS = 8;

  int VERSION = 0x8003;
  int LAST = 1;

  /** The longest frame: 1 MiB. Go's clients send 32 KiB at most. */
  int LONGEST = 1 << 20;

  /** The next frame; null at the end of the connection. */
  static @Nullable SpdyFrame read(InputStream in, HeaderReader headers) throws IOException {
    byte[] head = in.readNBytes(8);
    if (head.length < 8) {
      return null;
    }
    var begin = ByteBuffer.wrap(head);
    int first = begin.getInt();
    int second = begin.getInt();
    int length = second & 0xff_ffff;
    boolean last = (second >>> 24 & LAST) != 0;
    if (length > LONGEST) {
      throw new SpdyFailure("a frame has at most " + LONGEST + " bytes, got " + length);
    }
    byte[] body = new byte[length];
    try {
      new DataInputStream(in).readFully(body);
    } catch (EOFException e) {
      return null;
    }
    if (first >= 0) {
      return new Data(first, last, body);
    }
    if (first >>> 16 != VERSION) {
      throw new SpdyFailure("not a frame of SPDY/3");
    }
    return control(first & 0xffff, last, body, headers);
  }

  private static SpdyFrame control(int type, boolean last, byte[] body, HeaderReader headers)
      throws SpdyFailure {
    return switch (type) {
      case SYN_STREAM -> new Begin(number(body, 0), last, headers.read(from(body, 10)));
      case RST_STREAM -> new Reset(number(body, 0));
      case PING -> new Ping(ByteBuffer.wrap(from(body, 0, 4)).getInt());
      case GOAWAY -> new Leaving();
      case SYN_REPLY, HEADERS -> {
        headers.read(from(body, 4)); // what is packed next builds on it
        yield new Other();
      }
      default -> new Other();
    };
  }

  private static int number(byte[] body, int at) throws SpdyFailure {
    return ByteBuffer.wrap(from(body, at, 4)).getInt() & 0x7fff_ffff;
  }

  private static byte[] from(byte[] body, int at) throws SpdyFailure {
    return from(body, at, body.length - at);
  }

  private static byte[] from(byte[] body, int at, int count) throws SpdyFailure {
    if (count < 0 || at + count > body.length) {
      throw new SpdyFailure("a frame is too short");
    }
    return Arrays.copyOfRange(body, at, at + count);
  }
}
