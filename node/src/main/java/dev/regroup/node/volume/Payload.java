package dev.regroup.node.volume;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import dev.regroup.runtime.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Files of a configuration volume, written so that a reader sees all old or all new content: the
 * files live in a directory of their own, {@code ..data} points to it and is replaced by one
 * rename, the visible names point through {@code ..data}. The layout is Kubernetes' own.
 */
record Payload(Map<String, File> files) {

  record File(byte[] content, int mode) {}

  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwxr-xr-x");

  Payload {
    files = new TreeMap<>(files);
    for (var path : files.keySet()) {
      if (path.isEmpty()
          || path.startsWith("/")
          || Arrays.asList(path.split("/", -1)).contains("..")) {
        throw new IllegalArgumentException("path: must stay inside the volume, got " + path);
      }
    }
  }

  /** Writes the files below the volume's directory, which exists; does nothing when equal. */
  void writeTo(Path volume, FsGroup group) throws IOException {
    var data = volume.resolve("..data");
    if (Files.exists(data) && same(data)) {
      return;
    }
    var fresh =
        Files.createTempDirectory(volume, "..", PosixFilePermissions.asFileAttribute(DIRECTORY));
    for (var entry : files.entrySet()) {
      write(fresh.resolve(entry.getKey()), entry.getValue());
    }
    give(fresh, group);
    var old = Files.isSymbolicLink(data) ? volume.resolve(Files.readSymbolicLink(data)) : null;
    link(data, fresh.getFileName());
    for (var name : tops()) {
      var visible = volume.resolve(name);
      if (!Files.isSymbolicLink(visible)) {
        link(visible, Path.of("..data", name));
      }
    }
    removeVanished(volume);
    if (old != null && !old.equals(fresh)) {
      FileTrees.delete(old);
    }
  }

  private boolean same(Path data) throws IOException {
    try (var walk = Files.walk(data.toRealPath())) {
      if (walk.filter(Files::isRegularFile).count() != files.size()) {
        return false;
      }
    }
    for (var entry : files.entrySet()) {
      var file = data.resolve(entry.getKey());
      if (!Files.isRegularFile(file)
          || !Arrays.equals(Files.readAllBytes(file), entry.getValue().content())) {
        return false;
      }
    }
    return true;
  }

  private static void write(Path path, File file) throws IOException {
    var parent = path.getParent();
    if (parent != null) {
      Files.createDirectories(parent, PosixFilePermissions.asFileAttribute(DIRECTORY));
    }
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    try (var out =
        Files.newByteChannel(
            path, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly)) {
      var buffer = java.nio.ByteBuffer.wrap(file.content());
      while (buffer.hasRemaining()) {
        out.write(buffer);
      }
    }
    Files.setPosixFilePermissions(path, permissions(file.mode()));
  }

  /** Before anybody sees the files. */
  private static void give(Path fresh, FsGroup group) throws IOException {
    if (group.gid().isEmpty()) {
      return;
    }
    try (var walk = Files.walk(fresh)) {
      for (var path : walk.toList()) {
        if (Files.isDirectory(path)) {
          group.giveReadable(path);
        } else {
          group.giveFile(path);
        }
      }
    }
  }

  private static void link(Path link, Path target) throws IOException {
    var temporary = link.resolveSibling(link.getFileName() + "_tmp");
    Files.deleteIfExists(temporary);
    Files.createSymbolicLink(temporary, target);
    Files.move(temporary, link, ATOMIC_MOVE, REPLACE_EXISTING);
  }

  private void removeVanished(Path volume) throws IOException {
    try (var entries = Files.newDirectoryStream(volume)) {
      for (var entry : entries) {
        var name = String.valueOf(entry.getFileName());
        if (!name.startsWith("..") && !tops().contains(name)) {
          Files.delete(entry);
        }
      }
    }
  }

  private Set<String> tops() {
    return files.keySet().stream().map(path -> path.split("/", 2)[0]).collect(Collectors.toSet());
  }

  static Set<PosixFilePermission> permissions(int mode) {
    var permissions = EnumSet.noneOf(PosixFilePermission.class);
    var order =
        new PosixFilePermission[] {
          PosixFilePermission.OTHERS_EXECUTE, PosixFilePermission.OTHERS_WRITE,
          PosixFilePermission.OTHERS_READ, PosixFilePermission.GROUP_EXECUTE,
          PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_READ,
          PosixFilePermission.OWNER_EXECUTE, PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_READ
        };
    for (int bit = 0; bit < order.length; bit++) {
      if ((mode & (1 << bit)) != 0) {
        permissions.add(order[bit]);
      }
    }
    return permissions;
  }
}
