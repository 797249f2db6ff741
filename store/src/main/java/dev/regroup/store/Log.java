package dev.regroup.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
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
 * <p>INVARIANT: what is appended stands right behind what is safe. When the disk refuses, nothing
 * more is appended before the last segment was cut to what is safe and read again: after a sync
 * that failed nobody knows what the disk has.
 *
 * <p>Room is taken from the disk ahead of what is written, and a part of it is a reserve: see
 * {@link DiskRoom}. Used by one thread at a time, except {@link #forget}, see there.
 */
final class Log implements Closeable {

  private static final String PREFIX = "log-";
  private static final int BUFFER = 1 << 20; // 1 MiB
  private static final long AHEAD = 1 << 20; // 1 MiB

  /** 1 MiB: the end of about 40 pods, from the request to the last record. */
  static final long RESERVE = 1 << 20;

  private final FileLayer files;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
  private final NavigableMap<Long, Long> segments = new TreeMap<>(); // first revision → bytes
  private FileLayer.@Nullable Output output;
  private long last; // the newest revision that is safe
  private boolean full;
  private boolean torn; // something behind what is safe, or nothing to append to

  /** The disk has no room. */
  static final class NoRoom extends IOException {
    NoRoom(IOException cause) {
      super(cause.getMessage(), cause);
    }
  }

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
      files.forceDirectory(); // or a later segment might be found beside it
    }
    last = revision;
    for (long segment : List.copyOf(segments.keySet())) {
      last = replay(segment, last, sink);
    }
    if (segments.isEmpty()) {
      begin(last + 1);
    } else {
      resume(); // forces too: what was read may never have been, and is about to be shown
    }
  }

  private FileLayer.Output resume() throws IOException {
    var segment = newestSegment();
    var file = files.resume(name(segment.getKey()), segment.getValue());
    output = file;
    file.force();
    return file;
  }

  private long replay(long segment, long after, Consumer<LogRecord> sink)
      throws IOException, StoreFailure {
    var name = name(segment);
    long newest = after;
    try (var reader = RecordReader.open(files, name)) {
      for (var record = reader.next(); record != null; record = reader.next()) {
        if (record.revision() > newest + 1) {
          throw new StoreFailure(
              "%s: revisions %d to %d are missing (restore the data directory from a copy)"
                  .formatted(name, newest + 1, record.revision() - 1),
              null);
        }
        if (record.revision() == newest + 1) { // earlier ones are in the snapshot
          sink.accept(record);
          newest = record.revision();
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
    return newest;
  }

  /**
   * Appends the records and returns when they are on disk.
   *
   * @throws NoRoom when the disk is full
   * @throws IOException when it refuses for another reason
   * @throws StoreFailure when something that was safe is not there any more
   */
  void append(List<LogRecord> records, DiskRoom room) throws IOException, StoreFailure {
    var file = torn ? repair() : current();
    var encoded = records.stream().map(LogRecord::encode).toList();
    long bytes = encoded.stream().mapToLong(ByteBuffer::remaining).sum();
    makeRoom(file, bytes, room);
    boolean fits = file.room() >= bytes;
    torn = true;
    try {
      for (var each : encoded) {
        put(file, each);
      }
      flush(file);
      file.force();
    } catch (IOException e) {
      throw fits ? e : new NoRoom(e);
    }
    torn = false;
    last = records.getLast().revision();
    grow(bytes);
  }

  /** Without room, a write that may use the reserve is tried with what there is. */
  private void makeRoom(FileLayer.Output file, long bytes, DiskRoom room) throws NoRoom {
    if (!full && file.room() >= bytes + RESERVE) {
      return;
    }
    try {
      file.reserve(bytes + RESERVE + AHEAD);
      full = false;
    } catch (IOException e) {
      full = true;
      if (room == DiskRoom.COMMON) {
        throw new NoRoom(e);
      }
    }
  }

  /** Whether the disk had no room when it was last asked for some. */
  boolean full() {
    return full;
  }

  private void put(FileLayer.Output file, ByteBuffer bytes) throws IOException {
    if (bytes.remaining() > buffer.remaining()) {
      flush(file);
    }
    if (bytes.remaining() > buffer.capacity()) {
      file.append(bytes);
    } else {
      buffer.put(bytes);
    }
  }

  /** Cuts the log to what is safe and reads it again. */
  private FileLayer.Output repair() throws IOException, StoreFailure {
    buffer.clear();
    var segment = newestSegment();
    var file = output;
    if (file == null) {
      for (var name : files.list()) {
        if (name.startsWith(PREFIX) && firstRevision(name) > segment.getKey()) {
          files.delete(name); // a segment that could not be begun
        }
      }
      files.forceDirectory();
      file = resume();
    } else {
      file.cut(segment.getValue());
    }
    verify(name(segment.getKey()), segment.getValue());
    torn = false;
    return file;
  }

  private void verify(String name, long length) throws IOException, StoreFailure {
    long newest = 0;
    try (var reader = RecordReader.open(files, name)) {
      for (var record = reader.next(); record != null; record = reader.next()) {
        newest = record.revision();
      }
      if (reader.offset() != length || (newest != last && length > RecordReader.HEADER)) {
        throw new StoreFailure(
            "%s: damaged at byte %d, after the disk refused a write (check the disk, restore the data directory from a copy)"
                .formatted(name, reader.offset()),
            null);
      }
    }
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
    var file = current();
    torn = true;
    output = null;
    file.close();
    begin(firstRevision);
    torn = false;
  }

  private void begin(long firstRevision) throws IOException {
    var file = files.create(name(firstRevision));
    try {
      file.append(RecordReader.header());
      file.force();
      files.forceDirectory();
    } catch (IOException e) {
      file.close();
      throw e;
    }
    output = file;
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
    if (file == null) {
      return;
    }
    try (file) {
      if (torn) {
        file.cut(newestSegment().getValue()); // nobody was told that the rest is there
      }
    }
  }

  private FileLayer.Output current() {
    var file = output;
    if (file == null) {
      throw new IllegalStateException("log: not open");
    }
    return file;
  }

  private synchronized Map.Entry<Long, Long> newestSegment() {
    return segments.lastEntry();
  }

  private static String name(long firstRevision) {
    return PREFIX + "%016x".formatted(firstRevision);
  }

  private static long firstRevision(String name) {
    return Long.parseUnsignedLong(name.substring(PREFIX.length()), 16);
  }
}
