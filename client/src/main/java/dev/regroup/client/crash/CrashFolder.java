package dev.regroup.client.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Crash points that a test chooses while the program runs. The file {@code at} of the folder names
 * the next one, as {@link CrashPoint#parse} reads it, and counting begins when its text changes;
 * every point that is reached is added to the file {@code reached}. So a test learns what a restart
 * does, and one program serves until it crashes. Any thread.
 */
final class CrashFolder implements CrashPoint {

  private final Path at;
  private final Path reached;
  private String order = ""; // guarded by this
  private CrashPoint next = NONE; // guarded by this

  CrashFolder(Path folder) {
    this.at = folder.resolve("at");
    this.reached = folder.resolve("reached");
  }

  @Override
  public synchronized void reach(String name) {
    try {
      Files.writeString(reached, name + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      var text = read();
      if (!text.equals(order)) {
        order = text;
        next = CrashPoint.parse(text);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the crash point cannot be read", e);
    }
    next.reach(name);
  }

  private String read() throws IOException {
    try {
      return Files.readString(at);
    } catch (NoSuchFileException e) {
      return "";
    }
  }
}
