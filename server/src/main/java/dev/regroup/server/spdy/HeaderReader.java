package dev.regroup.server.spdy;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Reads header blocks. All of one direction are one compressed stream, so every block must be read,
 * in order. For one thread.
 */
final class HeaderReader implements AutoCloseable {

  /** The longest block when it is unpacked: 64 KiB. */
  private static final int LONGEST = 64 << 10;

  private static final int MOST_HEADERS = 128;

  private final Inflater inflater = new Inflater();

  /** By name in small letters; several values of one name are joined by zero bytes, as sent. */
  Map<String, String> read(byte[] block) throws SpdyFailure {
    var plain = ByteBuffer.wrap(unpack(block));
    try {
      int count = plain.getInt();
      if (count < 0 || count > MOST_HEADERS) {
        throw new SpdyFailure("too many headers: " + count);
      }
      var headers = new HashMap<String, String>();
      for (int i = 0; i < count; i++) {
        var name = text(plain).toLowerCase(Locale.ROOT);
        headers.put(name, text(plain));
      }
      return headers;
    } catch (BufferUnderflowException e) {
      throw new SpdyFailure("a header block ends too early", e);
    }
  }

  private static String text(ByteBuffer plain) throws SpdyFailure {
    int length = plain.getInt();
    if (length < 0 || length > plain.remaining()) {
      throw new SpdyFailure("a header is longer than its block");
    }
    byte[] bytes = new byte[length];
    plain.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private byte[] unpack(byte[] block) throws SpdyFailure {
    inflater.setInput(block);
    byte[] plain = new byte[1024];
    int have = 0;
    try {
      while (true) {
        int count = inflater.inflate(plain, have, plain.length - have);
        have += count;
        if (have > LONGEST) {
          throw new SpdyFailure("a header block has at most " + LONGEST + " bytes");
        }
        if (count == 0 && inflater.needsDictionary()) {
          inflater.setDictionary(HeaderDictionary.bytes());
        } else if (have == plain.length) {
          plain = Arrays.copyOf(plain, 2 * plain.length);
        } else if (count == 0) {
          return Arrays.copyOf(plain, have);
        }
      }
    } catch (DataFormatException | IllegalArgumentException e) { // or it wants another dictionary
      throw new SpdyFailure("a header block cannot be unpacked", e);
    }
  }

  @Override
  public void close() {
    inflater.end();
  }
}
