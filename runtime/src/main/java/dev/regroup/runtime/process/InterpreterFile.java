package dev.regroup.runtime.process;

import dev.regroup.runtime.linux.Linux;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The interpreter of tapes as a file of a directory, under a name made of its content: it is
 * written once, so nobody ever executes a file somebody has open for writing.
 *
 * <p>Who may trace a process that runs it reaches the file by {@code /proc/PID/exe}. The kernel
 * lets nobody write what is executed, but its mode can be taken away. Then {@link #renew} writes
 * another file; the old one stays beside it under another name, so that {@link Strays} knows who
 * runs it.
 */
final class InterpreterFile {

  private final Path path;
  private final byte[] content;

  private InterpreterFile(Path path, byte[] content) {
    this.path = path;
    this.content = content.clone();
  }

  static InterpreterFile in(Path directory, byte[] content) throws IOException {
    Files.createDirectories(directory);
    var file = new InterpreterFile(directory.resolve(Strays.PREFIX + hash(content)), content);
    file.renew();
    return file;
  }

  Path path() {
    return path;
  }

  /** Writes it anew unless it is there and can be executed. */
  synchronized void renew() throws IOException {
    if (Files.exists(path)) {
      if (Files.isExecutable(path) && Arrays.equals(Files.readAllBytes(path), content)) {
        return;
      }
      var inode = Files.getAttribute(path, "unix:ino");
      Files.createLink(path.resolveSibling(path.getFileName() + "-" + inode), path);
    }
    Path draft = Files.createTempFile(path.getParent(), "interpreter", ".draft");
    try (var fd = Linux.open(draft, Linux.O_WRONLY, 0)) { // closed in every child as it starts
      Linux.write(fd, content);
    }
    Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rwx------"));
    Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String hash(byte[] content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
