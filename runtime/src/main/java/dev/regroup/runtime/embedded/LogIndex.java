package dev.regroup.runtime.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;

/**
 * When the bytes of a log were written: pairs of (offset, nanoseconds since 1970) beside the log. A
 * pair says: from this offset on, not before this time. A byte's time is that of the last pair at
 * or before it.
 */
final class LogIndex {

  private static final int PAIR_BYTES = 2 * Long.BYTES;
  private static final long NANOS = 1_000_000_000L;

  private final ByteBuffer pairs;
  private final Instant before;

  private LogIndex(ByteBuffer pairs, Instant before) {
    this.pairs = pairs;
    this.before = before;
  }

  static Path file(Path log) {
    return log.resolveSibling(log.getFileName() + ".index");
  }

  static void append(Path log, long offset, Instant time) throws IOException {
    var pair = ByteBuffer.allocate(PAIR_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    pair.putLong(offset).putLong(time.getEpochSecond() * NANOS + time.getNano());
    Files.write(file(log), pair.array(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /**
   * Reads it.
   *
   * @param before the time of what no pair covers
   */
  static LogIndex read(Path log, Instant before) throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file(log));
    } catch (NoSuchFileException e) {
      bytes = new byte[0];
    }
    var pairs = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    pairs.limit(bytes.length / PAIR_BYTES * PAIR_BYTES); // a crash may have cut the last one
    return new LogIndex(pairs, before);
  }

  Instant time(long offset) {
    int low = 0;
    int high = pairs.limit() / PAIR_BYTES; // the first pair after the offset lies in [low, high]
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (pairs.getLong(middle * PAIR_BYTES) <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == 0) {
      return before;
    }
    long nanos = pairs.getLong((low - 1) * PAIR_BYTES + Long.BYTES);
    return Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS), Math.floorMod(nanos, NANOS));
  }
}
