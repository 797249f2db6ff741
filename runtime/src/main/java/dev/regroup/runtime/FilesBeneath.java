package dev.regroup.runtime;

import dev.regroup.runtime.linux.Linux;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads what lies in directories that containers write to. Whatever they put there, at whatever
 * moment, nothing outside of the directory is read, and nothing but a file is opened: a pipe would
 * make us wait for who writes to it.
 */
public final class FilesBeneath {

  private FilesBeneath() {}

  /**
   * The first bytes of a file.
   *
   * @param path relative; links in it are followed as long as they stay inside
   * @throws IOException if there is no such file, or if it lies elsewhere
   */
  public static byte[] read(Path directory, String path, int most) throws IOException {
    try (var top = Linux.open(directory, Linux.O_PATH, 0);
        var found = Linux.locateBeneath(top, path)) {
      var file = Path.of("/proc/self/fd", Integer.toString(found.number()));
      if (!Files.isRegularFile(file)) {
        throw new IOException(directory.resolve(path) + ": not a file");
      }
      try (var in = Files.newInputStream(file)) {
        return in.readNBytes(most);
      }
    }
  }
}
