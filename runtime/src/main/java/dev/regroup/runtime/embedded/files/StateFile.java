package dev.regroup.runtime.embedded.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Optional;

/** The two small files a supervising tape writes: what started, and how it ended. */
public final class StateFile {

  public static final int START_BYTES = 4 * Long.BYTES;
  public static final int EXIT_BYTES = 3 * Long.BYTES;

  private StateFile() {}

  /**
   * What started.
   *
   * @param child the container's command; 0 for a sandbox, and for a container in the moment before
   *     its command exists
   */
  public record Start(int supervisor, int child, Instant at) {}

  /**
   * How it ended.
   *
   * @param status the kernel's wait status; a lost one has a mark above it
   */
  public record Exit(long status, Instant at) {

    private static final long LOST = 1L << 32; // a wait status is shorter
    private static final int SIGKILL = 9;

    /** The supervisor is gone and left no word: noticed at this time (SEQ-25a). */
    public static Exit lost(Instant noticed) {
      return new Exit(LOST | SIGKILL, noticed);
    }

    public boolean isLost() {
      return (status & LOST) != 0;
    }

    /** 0…255; 128 + n for signal n (DEC-04). */
    public int code() {
      int signal = (int) status & 0x7f;
      return signal == 0 ? ((int) status >> 8) & 0xff : 128 + signal;
    }

    /** Into the space the tape has reserved: a full disk does not matter. */
    public void write(Path file) throws IOException {
      var words = ByteBuffer.allocate(EXIT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      words.putLong(status).putLong(at.getEpochSecond()).putLong(at.getNano()).flip();
      try (var channel =
          Files.newByteChannel(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        channel.write(words);
      }
    }
  }

  public static Optional<Start> start(Path file) throws IOException {
    return words(file, START_BYTES).flatMap(StateFile::start);
  }

  public static Optional<Start> start(byte[] message) {
    return message.length == START_BYTES
        ? start(ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN))
        : Optional.empty();
  }

  private static Optional<Start> start(ByteBuffer words) {
    if (words.getLong(0) == 0) { // still the zeros that reserve the space
      return Optional.empty();
    }
    return Optional.of(
        new Start(
            (int) words.getLong(0),
            (int) words.getLong(8),
            Instant.ofEpochSecond(words.getLong(16), words.getLong(24))));
  }

  public static Optional<Exit> exit(Path file) throws IOException {
    var words = words(file, EXIT_BYTES);
    if (words.isEmpty() || words.get().getLong(8) == 0) {
      return Optional.empty();
    }
    return words.map(
        w -> new Exit(w.getLong(0), Instant.ofEpochSecond(w.getLong(8), w.getLong(16))));
  }

  private static Optional<ByteBuffer> words(Path file, int size) throws IOException {
    try {
      byte[] bytes = Files.readAllBytes(file);
      return bytes.length == size
          ? Optional.of(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN))
          : Optional.empty();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }
}
