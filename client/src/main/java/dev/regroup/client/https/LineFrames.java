package dev.regroup.client.https;

import dev.regroup.client.Frames;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Cuts a body into its lines, without their line breaks; empty lines are left out. */
final class LineFrames implements Frames {

  private static final int LONGEST = 32 << 20; // 32 MiB, ten times the largest object

  private final InputStream in;
  private byte[] buffer = new byte[16 << 10]; // 16 KiB
  private int start; // of the frame that is being read
  private int scanned; // no line break between start and here
  private int end;

  LineFrames(InputStream in) {
    this.in = in;
  }

  @Override
  public byte @Nullable [] next() throws IOException {
    while (true) {
      for (; scanned < end; scanned++) {
        if (buffer[scanned] == '\n') {
          byte[] frame = Arrays.copyOfRange(buffer, start, scanned);
          scanned++;
          start = scanned;
          if (frame.length > 0) {
            return frame;
          }
        }
      }
      if (!fill()) {
        byte[] rest = Arrays.copyOfRange(buffer, start, end);
        start = end;
        return rest.length == 0 ? null : rest;
      }
    }
  }

  private boolean fill() throws IOException {
    if (start > 0) {
      System.arraycopy(buffer, start, buffer, 0, end - start);
      scanned -= start;
      end -= start;
      start = 0;
    }
    if (end == buffer.length) {
      if (end >= LONGEST) {
        throw new IOException("event: longer than %d bytes".formatted(LONGEST));
      }
      buffer = Arrays.copyOf(buffer, buffer.length * 2);
    }
    int count = in.read(buffer, end, buffer.length - end);
    if (count < 0) {
      return false;
    }
    end += count;
    return true;
  }
}
