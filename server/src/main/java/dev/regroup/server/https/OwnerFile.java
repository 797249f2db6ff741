package dev.regroup.server.https;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/** A file that only its owner can read, from the first byte on, and that is whole or not there. */
public final class OwnerFile {
  private OwnerFile() {}

  public static void write(Path file, byte[] content) throws IOException {
    var temporary = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(temporary);
    Files.createFile(
        temporary,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.write(temporary, content, StandardOpenOption.WRITE);
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
