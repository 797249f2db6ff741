package dev.regroup.store;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads the records of one file up to the first that is not whole and intact. */
final class RecordReader implements Closeable {

  /** Stands at the beginning of every file; the last byte is the version of the format. */
  private static final long MAGIC = 0x52_47_53_54_4f_52_45_01L; // RGSTORE, 1

  private static final int BUFFER = 1 << 20; // 1 MiB

  /** Bytes before the first record. */
  static final int HEADER = Long.BYTES;

  private final DataInputStream in;
  private final long size;
  private long offset = HEADER;

  private RecordReader(DataInputStream in, long size) {
    this.in = in;
    this.size = size;
  }

  /**
   * Opens a file behind its header.
   *
   * @throws StoreFailure when the header is not ours: a damaged file, or one of a later version
   */
  static RecordReader open(FileLayer files, String name) throws IOException, StoreFailure {
    long size = files.size(name);
    var in = new DataInputStream(new BufferedInputStream(files.read(name), BUFFER));
    long magic = size < HEADER ? 0 : in.readLong();
    if (magic != MAGIC) {
      in.close();
      throw new StoreFailure(
          "%s: not a file of this version of the store (begins with %016x)".formatted(name, magic),
          null);
    }
    return new RecordReader(in, size);
  }

  static ByteBuffer header() {
    return ByteBuffer.allocate(HEADER).putLong(MAGIC).flip();
  }

  /** Returns null at the end of the file and at the first record that is not intact. */
  @Nullable LogRecord next() throws IOException {
    long available = size - offset;
    if (available < LogRecord.HEAD + LogRecord.FIXED) {
      return null;
    }
    int length = in.readInt();
    int sum = in.readInt();
    if (length < LogRecord.FIXED || length > available - LogRecord.HEAD) {
      return null;
    }
    byte[] body = in.readNBytes(length);
    if (body.length < length || LogRecord.checksum(length, body, 0) != sum) {
      return null;
    }
    offset += LogRecord.HEAD + length;
    return LogRecord.decode(ByteBuffer.wrap(body));
  }

  /** Where the last intact record ended. */
  long offset() {
    return offset;
  }

  /** Whether everything in the file was intact, once {@link #next} has returned null. */
  boolean complete() {
    return offset == size;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
