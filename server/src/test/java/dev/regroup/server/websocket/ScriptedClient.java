package dev.regroup.server.websocket;

import dev.regroup.server.wire.Duplex;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A client whose every byte is known beforehand; it comes in pieces chosen by a seed. */
public final class ScriptedClient implements Duplex {
  private final Deque<byte[]> pieces = new ArrayDeque<>();
  public final ByteArrayOutputStream heard = new ByteArrayOutputStream();
  public boolean closed;

  public ScriptedClient(byte[] all, RandomGenerator random) {
    for (int at = 0; at < all.length; ) {
      int length = Math.min(all.length - at, 1 + random.nextInt(64));
      pieces.add(java.util.Arrays.copyOfRange(all, at, at + length));
      at += length;
    }
  }

  @Override
  public byte @Nullable [] read() {
    return pieces.poll();
  }

  @Override
  public void write(byte[] bytes) {
    heard.writeBytes(bytes);
  }

  @Override
  public void endOutput() {}

  @Override
  public void close() {
    closed = true;
  }

  /** A frame as a client sends it. */
  public static byte[] frame(int first, byte[] payload) {
    var frame = new ByteArrayOutputStream();
    frame.write(first);
    if (payload.length < 126) {
      frame.write(0x80 | payload.length);
    } else if (payload.length <= 0xffff) {
      frame.write(0x80 | 126);
      frame.write(payload.length >> 8);
      frame.write(payload.length);
    } else {
      frame.write(0x80 | 127);
      for (int shift = 56; shift >= 0; shift -= 8) {
        frame.write((int) ((long) payload.length >> shift));
      }
    }
    byte[] mask = {1, 2, 3, 4};
    frame.writeBytes(mask);
    for (int i = 0; i < payload.length; i++) {
      frame.write(payload[i] ^ mask[i % 4]);
    }
    return frame.toByteArray();
  }
}
