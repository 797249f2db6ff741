package dev.regroup.server.websocket;

import dev.regroup.server.wire.Duplex;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a client's bytes into frames. A frame that no client may send is a {@link BrokenTalk}. For
 * one thread.
 */
final class FrameInput {

  static final int CONTINUATION = 0;
  static final int TEXT = 1;
  static final int BINARY = 2;
  static final int CLOSE = 8;
  static final int PING = 9;
  static final int PONG = 10;

  private static final int LONGEST_CONTROL = 125;
  private static final byte[] NOTHING = {};

  private final Duplex client;
  private final int limit;
  private byte[] pending = NOTHING;
  private int at;

  /**
   * @param limit the longest frame
   */
  FrameInput(Duplex client, int limit) {
    this.client = client;
    this.limit = limit;
  }

  /** A frame without its mask. */
  record Frame(int kind, boolean last, byte[] payload) {
    boolean isControl() {
      return kind >= CLOSE;
    }
  }

  /** The next frame; null when the client has gone, in the middle of one or not. */
  @Nullable Frame next() throws IOException, InterruptedException {
    int first = take();
    int second = first < 0 ? -1 : take();
    if (second < 0) {
      return null;
    }
    boolean last = (first & 0x80) != 0;
    int kind = first & 0x0f;
    if ((first & 0x70) != 0) {
      throw BrokenTalk.protocol("nobody has agreed about reserved bits");
    }
    if (kind > BINARY && (kind < CLOSE || kind > PONG)) {
      throw BrokenTalk.protocol("no such kind of frame: " + kind);
    }
    if ((second & 0x80) == 0) {
      throw BrokenTalk.protocol("a client must mask its frames");
    }
    long length = second & 0x7f;
    if (kind >= CLOSE && (!last || length > LONGEST_CONTROL)) {
      throw BrokenTalk.protocol("a control frame is short and whole");
    }
    if (length == 126) {
      length = number(2);
    } else if (length == 127) {
      length = number(8);
    }
    if (length < 0 || length > limit) {
      throw new BrokenTalk(BrokenTalk.TOO_BIG, "a frame has at most " + limit + " bytes");
    }
    byte[] mask = bytes(4);
    byte[] payload = mask == null ? null : bytes((int) length);
    if (mask == null || payload == null) {
      return null;
    }
    for (int i = 0; i < payload.length; i++) {
      payload[i] ^= mask[i & 3];
    }
    return new Frame(kind, last, payload);
  }

  private long number(int size) throws IOException, InterruptedException {
    long number = 0;
    for (int i = 0; i < size; i++) {
      int one = take();
      if (one < 0) {
        return 0; // the end is seen again by who reads on
      }
      number = number << 8 | one;
    }
    return number;
  }

  private int take() throws IOException, InterruptedException {
    return fill() ? pending[at++] & 0xff : -1;
  }

  private byte @Nullable [] bytes(int count) throws IOException, InterruptedException {
    byte[] bytes = new byte[count];
    int have = 0;
    while (have < count) {
      if (!fill()) {
        return null;
      }
      int part = Math.min(count - have, pending.length - at);
      System.arraycopy(pending, at, bytes, have, part);
      have += part;
      at += part;
    }
    return bytes;
  }

  /** Whether there is something to take. */
  private boolean fill() throws IOException, InterruptedException {
    while (at == pending.length) {
      byte[] more = client.read();
      if (more == null) {
        return false;
      }
      pending = more;
      at = 0;
    }
    return true;
  }
}
