package dev.regroup.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A directory of files that is costly to make, as certificates are: made when the first test needs
 * it, copied for every other test of this JVM. Only its owner can read a copy. Any thread.
 */
public final class MadeOnce {

  /** Fills an empty directory with files. */
  @FunctionalInterface
  public interface Maker {
    void make(Path directory) throws IOException;
  }

  private final Maker maker;
  private @Nullable Map<String, byte[]> files; // guarded by this

  public MadeOnce(Maker maker) {
    this.maker = maker;
  }

  /** Puts a copy there, unless something is there already; returns the place. */
  public Path at(Path directory) throws IOException {
    if (Files.exists(directory)) {
      return directory;
    }
    var owner = PosixFilePermissions.fromString("rwx------");
    Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(owner));
    for (var file : files().entrySet()) {
      var copy = Files.write(directory.resolve(file.getKey()), file.getValue());
      Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-------"));
    }
    return directory;
  }

  private synchronized Map<String, byte[]> files() throws IOException {
    if (files == null) {
      var made = new TreeMap<String, byte[]>();
      var directory = Files.createTempDirectory("made-once");
      maker.make(directory);
      try (var all = Files.list(directory)) {
        for (var file : all.toList()) {
          made.put(file.getFileName().toString(), Files.readAllBytes(file));
          Files.delete(file);
        }
      }
      Files.delete(directory);
      files = made;
    }
    return files;
  }
}
