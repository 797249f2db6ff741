package dev.regroup.runtime.embedded.log;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What a running container writes from now on, byte by byte as it comes: a prompt has no newline.
 * Ends with the container. Who is slower than the log rotates misses the oldest part. One thread
 * reads, any may close.
 */
public final class LogTail extends InputStream {

  private final FileChannel channel;
  private final LiveLog live;
  private long position;
  private volatile boolean closed;

  public LogTail(Path file, LiveLog live) throws IOException {
    this.live = live;
    this.channel = FileChannel.open(file, StandardOpenOption.READ);
    live.look(); // up to this moment
    this.position = live.size();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (!closed) {
      // Both are asked before reading: what comes in between causes one more look, never one less.
      long change = live.changes();
      boolean ended = live.ended();
      long size = live.size();
      position = Math.max(Math.min(position, size), live.begin());
      int most = (int) Math.min(length, size - position);
      int count = most <= 0 ? 0 : channel.read(ByteBuffer.wrap(into, offset, most), position);
      if (count > 0 && position >= live.begin()) { // else it may be zeros
        position += count;
        return count;
      }
      if (ended && count <= 0) {
        return -1;
      }
      await(change);
    }
    throw new IOException("the stream is closed");
  }

  private void await(long change) throws InterruptedIOException {
    try {
      live.awaitChange(change);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    live.wakeReaders();
    channel.close();
  }
}
