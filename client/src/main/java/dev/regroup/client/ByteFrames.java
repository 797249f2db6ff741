package dev.regroup.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Hands on bytes as they arrive. */
public final class ByteFrames implements Frames {

  private final byte[] buffer = new byte[16 << 10]; // 16 KiB
  private final InputStream in;

  public ByteFrames(InputStream in) {
    this.in = in;
  }

  @Override
  public byte @Nullable [] next() throws IOException {
    int count = in.read(buffer);
    return count < 0 ? null : Arrays.copyOf(buffer, count);
  }
}
