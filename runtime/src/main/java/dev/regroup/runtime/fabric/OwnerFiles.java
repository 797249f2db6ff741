package dev.regroup.runtime.fabric;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** Small text files that only their owner may read, replaced in one step. */
final class OwnerFiles {
  private static final String UNFINISHED = ".new";

  private OwnerFiles() {}

  /** Another reader sees the old text or the new one, never a part of either. */
  static void write(Path file, String text) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    Path fresh = Files.createTempFile(parent, UNFINISHED, "", ownerOnly("rw-------"));
    Files.writeString(fresh, text);
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
  }

  static Optional<String> read(Path file) throws IOException {
    try {
      return Optional.of(Files.readString(file));
    } catch (NoSuchFileException none) {
      return Optional.empty();
    }
  }

  /** Whether this is what a crash in the middle of {@link #write} leaves behind. */
  static boolean unfinished(Path file) {
    return file.getFileName().toString().startsWith(UNFINISHED);
  }

  static void directory(Path directory) throws IOException {
    Files.createDirectories(directory, ownerOnly("rwx------"));
  }

  /** Deletes the files of a directory that has nothing but files. */
  static void empty(Path directory) throws IOException {
    try (var files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static FileAttribute<?> ownerOnly(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }
}
