package dev.regroup.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The log: segments named by the first revision they may hold, of which the last is written.
 *
 * <p>INVARIANT: a segment is on disk as a whole before the next one exists. So a record that is not
 * intact can stand only in the last segment, where it is what a crash left of a batch nobody was
 * told about; anywhere else the disk has lost what it promised to keep, and the store must not
 * open.
 *
 * <p>Used by one thread at a time, except {@link #forget}, see there.
 */
final class Log implements Closeable {

  private static final String PREFIX = "log-";
  private static final int BUFFER = 1 << 20; // 1 MiB

  private final FileLayer files;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
  private final NavigableMap<Long, Long> segments = new TreeMap<>(); // first revision → bytes
  private FileLayer.@Nullable Output output;

  Log(FileLayer files) {
    this.files = files;
  }

  /**
   * Reads everything after {@code revision}, in order, cuts off what a crash left at the end, and
   * makes the log ready for appending.
   */
  void recover(long revision, Consumer<LogRecord> sink) throws IOException, StoreFailure {
    for (var name : files.list()) {
      if (name.startsWith(PREFIX)) {
        segments.put(firstRevision(name), files.size(name));
      }
    }
    forget(revision);
    if (!segments.isEmpty() && segments.lastEntry().getValue() <= RecordReader.HEADER) {
      files.delete(name(segments.pollLastEntry().getKey())); // no record in it, maybe half a header
    }
    long last = revision;
    for (long segment : List.copyOf(segments.keySet())) {
      last = replay(segment, last, sink);
    }
    if (segments.isEmpty()) {
      begin(last + 1);
    } else {
      long length = segments.lastEntry().getValue();
      output = files.resume(name(segments.lastKey()), length);
      output.force(); // what was read may never have been forced, and is about to be shown
    }
  }

  private long replay(long segment, long after, Consumer<LogRecord> sink)
      throws IOException, StoreFailure {
    var name = name(segment);
    long last = after;
    try (var reader = RecordReader.open(files, name)) {
      for (var record = reader.next(); record != null; record = reader.next()) {
        if (record.revision() > last + 1) {
          throw new StoreFailure(
              "%s: revisions %d to %d are missing (restore the data directory from a copy)"
                  .formatted(name, last + 1, record.revision() - 1),
              null);
        }
        if (record.revision() == last + 1) { // earlier ones are in the snapshot
          sink.accept(record);
          last = record.revision();
        }
      }
      if (!reader.complete() && segment != segments.lastKey()) {
        throw new StoreFailure(
            "%s: damaged at byte %d (restore the data directory from a copy)"
                .formatted(name, reader.offset()),
            null);
      }
      segments.put(segment, reader.offset());
    }
    return last;
  }

  /** Appends the records and returns when they are on disk. */
  void append(List<LogRecord> records) throws IOException {
    var file = current();
    long written = 0;
    for (var record : records) {
      var bytes = record.encode();
      written += bytes.remaining();
      if (bytes.remaining() > buffer.remaining()) {
        flush(file);
      }
      if (bytes.remaining() > buffer.capacity()) {
        file.append(bytes);
      } else {
        buffer.put(bytes);
      }
    }
    flush(file);
    file.force();
    grow(written);
  }

  private void flush(FileLayer.Output file) throws IOException {
    file.append(buffer.flip());
    buffer.clear();
  }

  private synchronized void grow(long written) {
    segments.merge(segments.lastKey(), written, Long::sum);
  }

  /** Goes on in a new segment, whose first record will have this revision. */
  void rotate(long firstRevision) throws IOException {
    current().close();
    output = null;
    begin(firstRevision);
  }

  private void begin(long firstRevision) throws IOException {
    var file = files.create(name(firstRevision));
    output = file;
    file.append(RecordReader.header());
    file.force();
    files.forceDirectory();
    synchronized (this) {
      segments.put(firstRevision, (long) RecordReader.HEADER);
    }
  }

  /** Deletes the segments that hold nothing after {@code revision}. Any thread. */
  void forget(long revision) throws IOException {
    while (true) {
      long oldest;
      synchronized (this) {
        var second = segments.size() < 2 ? null : segments.higherKey(segments.firstKey());
        if (second == null || second > revision + 1) {
          return;
        }
        oldest = segments.firstKey();
        segments.remove(oldest);
      }
      files.delete(name(oldest));
    }
  }

  /** How many bytes all segments have together. */
  synchronized long bytes() {
    return segments.values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public void close() throws IOException {
    var file = output;
    if (file != null) {
      file.close();
    }
  }

  private FileLayer.Output current() {
    var file = output;
    if (file == null) {
      throw new IllegalStateException("log: not open");
    }
    return file;
  }

  private static String name(long firstRevision) {
    return PREFIX + "%016x".formatted(firstRevision);
  }

  private static long firstRevision(String name) {
    return Long.parseUnsignedLong(name.substring(PREFIX.length()), 16);
  }
}
