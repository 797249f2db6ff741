package dev.regroup.node.pod;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A small content that survives a loss of power at any moment, the one before or the one after a
 * write. The file has two slots of equal size; a write overwrites the older one and syncs. That is
 * one sync, and one that need not touch the file system's journal, where a new file and its name
 * would need two that do.
 *
 * <pre>
 *   long    number of the write; the slot with the higher one counts
 *   int     length of the content
 *   int     CRC32C of all of it
 *   content
 * </pre>
 *
 * Blocks; one thread at a time.
 */
final class DurableFile {

  private static final int HEAD = Long.BYTES + Integer.BYTES + Integer.BYTES;
  private static final int SMALLEST_SLOT = 4096; // a page: torn writes stay in their slot

  private final Path file;
  private long number;
  private int slot; // its size; 0 while there is no file
  private Optional<byte[]> content = Optional.empty();

  private DurableFile(Path file) {
    this.file = file;
  }

  /** Reads what was written last, if anything was. */
  static DurableFile open(Path file) throws IOException {
    var opened = new DurableFile(file);
    try {
      opened.read(ByteBuffer.wrap(Files.readAllBytes(file)));
    } catch (NoSuchFileException e) {
      return opened;
    }
    return opened;
  }

  Optional<byte[]> content() {
    return content;
  }

  private void read(ByteBuffer bytes) {
    slot = bytes.capacity() / 2;
    for (int i = 0; slot >= SMALLEST_SLOT && i < 2; i++) {
      var one = bytes.slice(i * slot, slot);
      long written = one.getLong();
      int length = one.getInt();
      int sum = one.getInt();
      if (written <= number || length < 0 || length > slot - HEAD) {
        continue;
      }
      byte[] found = new byte[length];
      one.get(found);
      if (sum(written, found) == sum) {
        number = written;
        content = Optional.of(found);
      }
    }
  }

  /** Makes the file if it is missing, so that the first write is as quick as the others. */
  void prepare() throws IOException {
    if (slot < SMALLEST_SLOT) {
      make(SMALLEST_SLOT);
    }
  }

  /** Returns when the new content is safe. */
  void write(byte[] next) throws IOException {
    int needed = Math.max(SMALLEST_SLOT, Integer.highestOneBit(HEAD + next.length) * 2);
    if (slot < needed) {
      make(needed);
    }
    long written = number + 1;
    var bytes = ByteBuffer.allocate(HEAD + next.length);
    bytes.putLong(written).putInt(next.length).putInt(sum(written, next)).put(next).flip();
    try (var channel = FileChannel.open(file, WRITE)) {
      put(channel, bytes, (written % 2) * slot);
      channel.force(false);
    }
    number = written;
    content = Optional.of(next.clone());
  }

  /** A new file with slots of this size and what was written last, under the name at once. */
  private void make(int size) throws IOException {
    var parent = file.getParent();
    if (parent == null) {
      throw new IOException("no directory above " + file);
    }
    Files.createDirectories(parent);
    var bytes = ByteBuffer.allocate(2 * size);
    if (content.isPresent()) {
      byte[] kept = content.get();
      bytes.position((int) (number % 2) * size);
      bytes.putLong(number).putInt(kept.length).putInt(sum(number, kept)).put(kept);
    }
    bytes.clear();
    var draft = file.resolveSibling(file.getFileName() + ".new");
    try (var channel = FileChannel.open(draft, CREATE, WRITE, TRUNCATE_EXISTING)) {
      put(channel, bytes, 0);
      channel.force(true);
    }
    Files.move(draft, file, ATOMIC_MOVE, REPLACE_EXISTING);
    try (var directory = FileChannel.open(parent, READ)) {
      directory.force(true); // the new name itself
    }
    slot = size;
  }

  private static void put(FileChannel channel, ByteBuffer bytes, long position) throws IOException {
    for (long at = position; bytes.hasRemaining(); ) {
      at += channel.write(bytes, at);
    }
  }

  private static int sum(long number, byte[] content) {
    var sum = new CRC32C();
    sum.update(ByteBuffer.allocate(Long.BYTES).putLong(number).flip());
    sum.update(content);
    return (int) sum.getValue();
  }
}
