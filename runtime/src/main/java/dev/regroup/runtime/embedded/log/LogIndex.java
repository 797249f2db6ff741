package dev.regroup.runtime.embedded.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When the bytes of a log were written: pairs of (offset, nanoseconds since 1970) beside the log. A
 * pair says: from this offset on, not before this time. A byte's time is that of the last pair at
 * or before it. Pairs about what was rotated away become a hole, whose pairs (0, 0) sort before all
 * others; so the order holds and finding a pair takes a few reads, however many there are.
 *
 * <p>An instance reads one index, for one thread.
 */
public final class LogIndex implements AutoCloseable {

  private static final int PAIR_BYTES = 2 * Long.BYTES;
  private static final int WINDOW_PAIRS = 256;
  private static final long NANOS = 1_000_000_000L;

  private final Path file;
  private final Instant before;
  private @Nullable FileChannel channel;
  private long count;
  private ByteBuffer window = pairs(0); // some pairs that follow each other
  private long windowAt; // number of its first pair

  /**
   * Opens it; an index that does not exist yet is looked for at each refresh.
   *
   * @param before the time of what no pair covers
   */
  LogIndex(Path log, Instant before) throws IOException {
    this.file = file(log);
    this.before = before;
    refresh();
  }

  public static Path file(Path log) {
    return log.resolveSibling(log.getFileName() + ".index");
  }

  static void append(Path log, long offset, Instant time) throws IOException {
    byte[] pair = new byte[PAIR_BYTES];
    ByteBuffer.wrap(pair)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(offset)
        .putLong(time.getEpochSecond() * NANOS + time.getNano());
    Files.write(file(log), pair, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Gives back the space of pairs about what lies before the new beginning of the log. */
  static void trim(Path log, long begin) throws IOException {
    try (var index = new LogIndex(log, Instant.EPOCH)) {
      long end = LogHole.blocks(Math.max(0, index.search(begin)) * PAIR_BYTES);
      if (end > 0) {
        LogHole.punch(index.file, end);
      }
    }
  }

  /** Drops pairs of an earlier content: the log is shorter now than they say. */
  static void dropIfBeyond(Path log, long size) throws IOException {
    if (Files.notExists(file(log))) {
      return; // a new log, and most are
    }
    boolean beyond;
    try (var index = new LogIndex(log, Instant.EPOCH)) {
      beyond = index.count > 0 && index.offset(index.count - 1) > size;
    }
    if (beyond) {
      drop(log);
    }
  }

  /** The log was emptied by its program: offsets start over. */
  static void drop(Path log) throws IOException {
    try (var channel = FileChannel.open(file(log), StandardOpenOption.WRITE)) {
      channel.truncate(0);
    } catch (NoSuchFileException e) {
      return; // nothing was noted yet
    }
  }

  /** Sees pairs that came since the last look. */
  void refresh() throws IOException {
    if (channel == null) {
      try {
        channel = FileChannel.open(file, StandardOpenOption.READ);
      } catch (NoSuchFileException e) {
        return;
      }
    }
    long seen = count;
    count = channel.size() / PAIR_BYTES; // a crash may have cut the last one
    if (count < seen) {
      window = pairs(0);
    }
  }

  /** When the byte at this offset was written; cheap if the offset is near the one asked before. */
  Instant time(long offset) throws IOException {
    if (!windowCovers(offset)) {
      windowAt = Math.max(0, search(offset));
      window = read(windowAt, (int) Math.min(WINDOW_PAIRS, count - windowAt));
    }
    if (window.limit() == 0) {
      return before;
    }
    int pair = 0;
    while (pair + 1 < windowPairs() && windowOffset(pair + 1) <= offset) {
      pair++;
    }
    long nanos = window.getLong(pair * PAIR_BYTES + Long.BYTES);
    if (nanos == 0) {
      return before;
    }
    var time = Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS), Math.floorMod(nanos, NANOS));
    return windowOffset(pair) > offset && before.isBefore(time) ? before : time;
  }

  private boolean windowCovers(long offset) {
    if (window.limit() == 0) {
      return false;
    }
    if (windowOffset(0) > offset) {
      return windowAt == 0; // there is none before
    }
    return windowAt + windowPairs() == count || offset < windowOffset(windowPairs() - 1);
  }

  private int windowPairs() {
    return window.limit() / PAIR_BYTES;
  }

  private long windowOffset(int pair) {
    return window.getLong(pair * PAIR_BYTES);
  }

  /** The number of the last pair at or before this offset; -1 if there is none. */
  private long search(long offset) throws IOException {
    long low = 0;
    long high = count; // the first pair after the offset lies in [low, high]
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (offset(middle) <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  private long offset(long pair) throws IOException {
    var read = read(pair, 1);
    return read.limit() == 0 ? Long.MAX_VALUE : read.getLong(0);
  }

  /** These pairs, or as many of them as there still are. */
  private ByteBuffer read(long first, int number) throws IOException {
    var buffer = pairs(Math.max(0, number));
    if (channel != null) {
      while (buffer.hasRemaining()) {
        int count = channel.read(buffer, first * PAIR_BYTES + buffer.position());
        if (count < 0) {
          break;
        }
      }
    }
    return buffer.limit(buffer.position() / PAIR_BYTES * PAIR_BYTES);
  }

  private static ByteBuffer pairs(int number) {
    return ByteBuffer.allocate(number * PAIR_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void close() throws IOException {
    if (channel != null) {
      channel.close();
    }
  }
}
