package dev.regroup.server.spdy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.Deflater;

/** Writes the one header block this side ever sends: an empty one. For one thread at a time. */
final class HeaderWriter implements AutoCloseable {

  private static final int ENOUGH = 256;

  private final Deflater deflater = new Deflater();

  HeaderWriter() {
    deflater.setDictionary(HeaderDictionary.bytes());
  }

  byte[] none() {
    byte[] packed = new byte[ENOUGH];
    deflater.setInput(ByteBuffer.allocate(Integer.BYTES).array()); // so many headers
    int count = deflater.deflate(packed, 0, packed.length, Deflater.SYNC_FLUSH);
    return Arrays.copyOf(packed, count);
  }

  @Override
  public void close() {
    deflater.end();
  }
}
