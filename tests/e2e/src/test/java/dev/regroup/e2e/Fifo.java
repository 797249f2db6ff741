package dev.regroup.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How a test speaks to a container without asking again and again: the container makes a FIFO,
 * opens it for both directions, gives it its final name and reads; the test sees the name appear.
 */
public final class Fifo {

  private Fifo() {}

  /** A shell line that makes {@code file}, told by its path, and reads {@code $code} from it. */
  public static String read(String file) {
    return "mkfifo %1$s.new; exec 8<>%1$s.new; mv %1$s.new %1$s; read code <&8".formatted(file);
  }

  /** Waits until the file is there; its folder must exist. */
  public static void await(Path file, Duration limit) throws IOException, InterruptedException {
    Path folder = file.toAbsolutePath().getParent();
    long end = System.nanoTime() + limit.toNanos();
    try (var watcher = folder.getFileSystem().newWatchService()) {
      folder.register(watcher, ENTRY_CREATE);
      while (!Files.exists(file)) {
        var key = watcher.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (key == null) {
          try (var others = Files.list(folder)) {
            throw new AssertionError(file + " did not appear; there are " + others.toList());
          }
        }
        key.pollEvents();
        key.reset();
      }
    }
  }

  /**
   * Sends one line. The reader has the FIFO open, so the line stays until it is read; a reader that
   * is killed before takes it along.
   */
  public static void write(Path file, String line) throws IOException {
    try (var pipe = new RandomAccessFile(file.toFile(), "rw")) { // never waits for a reader
      pipe.write((line + "\n").getBytes(UTF_8));
    }
  }
}
