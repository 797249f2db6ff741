package dev.regroup.node.volume;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import io.fabric8.kubernetes.api.model.HostPathVolumeSource;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Checks a hostPath against its type and makes what {@code …OrCreate} asks for. */
final class HostPaths {

  private static final int S_IFMT = 0170000;
  private static final int S_IFSOCK = 0140000;
  private static final int S_IFCHR = 0020000;
  private static final int S_IFBLK = 0060000;

  private HostPaths() {}

  static Path prepare(String volume, HostPathVolumeSource source) throws VolumeFailure {
    var path = Path.of(source.getPath());
    if (!path.isAbsolute()) {
      throw new VolumeFailure(volume, "hostPath " + path + ": must be absolute");
    }
    var type = source.getType() == null ? "" : source.getType();
    try {
      var problem = problem(path, type);
      if (!problem.isEmpty()) {
        throw new VolumeFailure(volume, "hostPath type check failed: " + path + " " + problem);
      }
      return path;
    } catch (IOException e) {
      throw new VolumeFailure(volume, "hostPath " + path + ": " + e.getMessage(), e);
    }
  }

  private static String problem(Path path, String type) throws IOException {
    return switch (type) {
      case "" -> {
        if (!Files.exists(path)) {
          Files.createDirectories(path); // as the container runtimes do
        }
        yield "";
      }
      case "DirectoryOrCreate" -> {
        if (!Files.exists(path)) {
          Files.createDirectories(
              path,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        }
        yield Files.isDirectory(path) ? "" : "is not a directory";
      }
      case "Directory" -> Files.isDirectory(path) ? "" : "is not a directory";
      case "FileOrCreate" -> {
        createFile(path);
        yield Files.isRegularFile(path) ? "" : "is not a file";
      }
      case "File" -> Files.isRegularFile(path) ? "" : "is not a file";
      case "Socket" -> kind(path) == S_IFSOCK ? "" : "is not a socket file";
      case "CharDevice" -> kind(path) == S_IFCHR ? "" : "is not a character device";
      case "BlockDevice" -> kind(path) == S_IFBLK ? "" : "is not a block device";
      default -> "has an unknown type \"" + type + "\"";
    };
  }

  private static void createFile(Path path) throws IOException {
    try {
      Files.createFile(
          path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
    } catch (FileAlreadyExistsException e) {
      return; // that is what was asked for
    }
  }

  private static int kind(Path path) throws IOException {
    if (!Files.exists(path)) {
      return 0;
    }
    return (Integer) Files.getAttribute(path.toRealPath(), "unix:mode", NOFOLLOW_LINKS) & S_IFMT;
  }
}
