package dev.regroup.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * The whole state in one file, so that the log before it can go. It gets its name only when it is
 * complete and on disk; a crash before that leaves a file that nobody reads.
 */
public final class Snapshot {

  private static final String PREFIX = "snapshot-";
  private static final String UNFINISHED = ".tmp";
  private static final int BUFFER = 1 << 20; // 1 MiB

  private Snapshot() {}

  /**
   * Reads the newest snapshot.
   *
   * @return its revision, 0 when there is none
   */
  static long read(FileLayer files, Consumer<LogRecord> sink) throws IOException, StoreFailure {
    var newest = newest(files);
    if (newest.isEmpty()) {
      return 0;
    }
    long count = 0;
    try (var reader = RecordReader.open(files, newest.get())) {
      for (var record = reader.next(); record != null; record = reader.next()) {
        if (record.type() == LogRecord.Type.END) {
          if (record.createdRevision() == count && reader.complete()) {
            return record.revision();
          }
          break;
        }
        sink.accept(record);
        count++;
      }
      throw new StoreFailure(
          "%s: damaged at byte %d (restore the data directory from a copy)"
              .formatted(newest.get(), reader.offset()),
          null);
    }
  }

  /**
   * Writes the state and makes it the newest snapshot.
   *
   * @param millis when an entry was written, for collections that forget
   * @return false when {@code stop} said to give up
   */
  static boolean write(
      FileLayer files, State state, ToLongFunction<Entry> millis, BooleanSupplier stop)
      throws IOException {
    var name = PREFIX + "%016x".formatted(state.revision());
    var unfinished = name + UNFINISHED;
    try {
      if (!write(files, unfinished, state, millis, stop)) {
        return false; // the next start deletes the rest
      }
    } catch (IOException e) {
      try {
        files.delete(unfinished); // a full disk needs the room
      } catch (IOException stays) {
        e.addSuppressed(stays);
      }
      throw e;
    }
    files.rename(unfinished, name);
    files.forceDirectory();
    return true;
  }

  private static boolean write(
      FileLayer files, String name, State state, ToLongFunction<Entry> millis, BooleanSupplier stop)
      throws IOException {
    long count = 0;
    try (var output = files.create(name)) {
      var buffer = ByteBuffer.allocate(BUFFER).put(RecordReader.header());
      for (var collection : state.collections().values()) {
        for (var entry : collection.startingWith("")) {
          if (stop.getAsBoolean()) {
            return false;
          }
          append(output, buffer, LogRecord.put(entry, millis.applyAsLong(entry)));
          count++;
        }
      }
      append(output, buffer, LogRecord.end(state.revision(), count));
      output.append(buffer.flip());
      output.force();
    }
    return true;
  }

  private static void append(FileLayer.Output output, ByteBuffer buffer, LogRecord record)
      throws IOException {
    var bytes = record.encode();
    if (bytes.remaining() > buffer.remaining()) {
      output.append(buffer.flip());
      buffer.clear();
    }
    if (bytes.remaining() > buffer.capacity()) {
      output.append(bytes);
    } else {
      buffer.put(bytes);
    }
  }

  /** Deletes all snapshots but the newest, and what a crash left of unfinished ones. */
  static void tidy(FileLayer files) throws IOException {
    var newest = newest(files);
    for (var name : files.list()) {
      boolean old = isSnapshot(name) && !newest.equals(Optional.of(name));
      if (old || name.endsWith(UNFINISHED)) {
        files.delete(name);
      }
    }
  }

  private static Optional<String> newest(FileLayer files) throws IOException {
    List<String> names = files.list().stream().filter(Snapshot::isSnapshot).toList();
    return names.isEmpty() ? Optional.empty() : Optional.of(names.getLast());
  }

  private static boolean isSnapshot(String name) {
    return name.startsWith(PREFIX) && !name.endsWith(UNFINISHED);
  }
}
