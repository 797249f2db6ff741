package dev.regroup.runtime.embedded.root;

import dev.regroup.runtime.embedded.files.Fields;
import dev.regroup.runtime.embedded.tapes.Hidden;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * What the runtimes of this machine hide of their own, told to each other: a container of one
 * cluster must not find the keys of another. A file for each runtime, in a directory that no
 * container sees; it is kept as long as something of what it names is there. Other runtimes notice
 * a change by the time of the directory, and containers that start from then on see nothing of it.
 */
final class HiddenRegister {

  private static final System.Logger LOG = System.getLogger(HiddenRegister.class.getName());
  private static final String DIRECTORY = "directory";
  private static final String FILE = "file";

  private final Path directory;

  HiddenRegister(Path directory) {
    this.directory = directory;
  }

  static HiddenRegister ofThisMachine() {
    return new HiddenRegister(Path.of("/var/lib/regroup/runtimes"));
  }

  Path directory() {
    return directory;
  }

  /** Tells all others what this runtime hides; what no container sees anyway is left out. */
  void keep(Path runtime, List<Hidden> own) {
    var fields = new Fields();
    var seen = own.stream().filter(hidden -> !HostRoot.isOwn(hidden.path())).toList();
    for (Hidden hidden : seen) {
      fields.add(
          switch (hidden.kind()) {
            case DIRECTORY -> DIRECTORY;
            case FILE -> FILE;
          },
          hidden.path());
    }
    try {
      Files.createDirectories(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      dropThoseThatAreGone();
      if (!seen.isEmpty()) {
        replace(directory.resolve(name(runtime)), fields);
      }
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          () -> "containers of other clusters on this machine may see " + runtime + ": " + e);
    }
  }

  /** The time of the directory becomes another one, whether there was such a file or not. */
  private static void replace(Path file, Fields fields) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + "." + ProcessHandle.current().pid());
    fields.write(fresh);
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String name(Path runtime) {
    return UUID.nameUUIDFromBytes(runtime.toString().getBytes(StandardCharsets.UTF_8)).toString();
  }

  private void dropThoseThatAreGone() throws IOException {
    for (Path file : files()) {
      var named = read(file);
      if (!named.isEmpty() && named.stream().noneMatch(hidden -> Files.exists(hidden.path()))) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** What all of them hide; of one that is just being written, nothing yet. */
  List<Hidden> all() throws IOException {
    var all = new ArrayList<Hidden>();
    for (Path file : files()) {
      all.addAll(read(file));
    }
    return all;
  }

  private static List<Hidden> read(Path file) throws IOException {
    try {
      var fields = Fields.read(file).orElseGet(Fields::new);
      return Stream.concat(
              fields.all(DIRECTORY).stream().map(path -> Hidden.directory(Path.of(path))),
              fields.all(FILE).stream().map(path -> Hidden.file(Path.of(path))))
          .toList();
    } catch (NoSuchFileException e) {
      return List.of(); // it was dropped meanwhile
    }
  }

  /** When it was last another; empty if there is none. */
  Optional<FileTime> changed() throws IOException {
    try {
      return Optional.of(Files.getLastModifiedTime(directory));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private List<Path> files() throws IOException {
    try (var entries = Files.list(directory)) {
      return entries.sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }
}
