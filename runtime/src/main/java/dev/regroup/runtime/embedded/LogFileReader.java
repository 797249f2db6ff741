package dev.regroup.runtime.embedded;

import dev.regroup.runtime.LogQuery;
import dev.regroup.runtime.LogReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a log file line by line and, if asked, waits for more while the container runs. */
final class LogFileReader implements LogReader {

  /** A line that gets longer is handed out in pieces: 256 KB. */
  private static final int LONGEST_PIECE = 256 * 1024;

  private static final int BUFFER = 64 * 1024;

  private final Path file;
  private final FileChannel channel;
  private final Logs.@Nullable Live live;
  private final LogQuery query;
  private final Instant startedAt;
  private LogIndex index;
  private byte[] pending = new byte[0]; // read, not handed out
  private int pendingAt;
  private long position; // of the file, after pending

  LogFileReader(Path file, Logs.@Nullable Live live, LogQuery query, Instant startedAt)
      throws IOException {
    this.file = file;
    this.live = query.mode() == LogQuery.Mode.FOLLOW ? live : null;
    this.query = query;
    this.startedAt = startedAt;
    this.index = LogIndex.read(file, startedAt);
    this.channel = FileChannel.open(file, StandardOpenOption.READ);
    if (query.tail().isPresent()) {
      position = tailStart(query.tail().getAsLong());
    }
  }

  @Override
  public Optional<Line> next() throws IOException, InterruptedException {
    while (true) {
      var line = cut();
      if (line.isEmpty()) {
        return Optional.empty();
      }
      if (query.since().isEmpty() || !line.get().time().isBefore(query.since().get())) {
        return line;
      }
    }
  }

  private Optional<Line> cut() throws IOException, InterruptedException {
    int searched = pendingAt;
    while (true) {
      for (int i = searched; i < pending.length; i++) {
        if (pending[i] == '\n') {
          return Optional.of(take(i, 1));
        }
      }
      if (pending.length - pendingAt >= LONGEST_PIECE) {
        return Optional.of(take(pending.length, 0));
      }
      int unread = pending.length - pendingAt;
      if (!fill()) {
        return unread == 0 ? Optional.empty() : Optional.of(take(pending.length, 0));
      }
      searched = pendingAt + unread;
    }
  }

  private Line take(int end, int newline) {
    long offset = position - (pending.length - pendingAt);
    var line =
        new Line(index.time(offset), Arrays.copyOfRange(pending, pendingAt, end), newline > 0);
    pendingAt = end + newline;
    return line;
  }

  /** Reads more; false at the end. */
  private boolean fill() throws IOException, InterruptedException {
    var buffer = ByteBuffer.allocate(BUFFER);
    while (true) {
      // Both are asked before reading: what comes in between causes one more look, never one less.
      long change = live == null ? 0 : live.changes();
      boolean ended = live == null || live.ended();
      if (channel.size() < position) {
        position = 0; // the program emptied its own output
      }
      int count = channel.read(buffer, position);
      if (count > 0) {
        position += count;
        byte[] joined = new byte[pending.length - pendingAt + count];
        System.arraycopy(pending, pendingAt, joined, 0, pending.length - pendingAt);
        System.arraycopy(buffer.array(), 0, joined, pending.length - pendingAt, count);
        pending = joined;
        pendingAt = 0;
        if (live != null) {
          index = LogIndex.read(file, startedAt);
        }
        return true;
      }
      if (live == null || ended) {
        return false;
      }
      live.awaitChange(change);
    }
  }

  private long tailStart(long lines) throws IOException {
    long end = channel.size();
    long at = end;
    long found = 0;
    var buffer = ByteBuffer.allocate(BUFFER);
    while (at > 0) {
      int length = (int) Math.min(BUFFER, at);
      at -= length;
      buffer.clear().limit(length);
      channel.read(buffer, at);
      for (int i = length - 1; i >= 0; i--) {
        // The newline at the very end closes the last line, it does not begin another.
        if (buffer.get(i) == '\n' && at + i != end - 1 && ++found == lines) {
          return at + i + 1;
        }
      }
    }
    return lines == 0 ? end : 0;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new IllegalStateException("closing " + file, e);
    }
  }
}
