package dev.regroup.cli.image;

import dev.regroup.node.image.BusyboxOnHost;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A link for each command of the machine's busybox, as its image has them. Made on first use, once
 * for the same commands; containers that see it keep it mounted.
 */
public final class BusyboxFolder implements BusyboxOnHost.Commands {

  private static final String PROGRAM = "busybox";

  /** Which containers see. */
  private static final List<Path> PLACES =
      List.of(Path.of("/usr/local/bin"), Path.of("/usr/bin"), Path.of("/bin"));

  private final Path parent;
  private final List<Path> places;
  private @Nullable Path made;

  /** {@code parent} is where folders of commands are kept. */
  public BusyboxFolder(Path parent) {
    this(parent, PLACES);
  }

  /** Looks for the program at these places. */
  BusyboxFolder(Path parent, List<Path> places) {
    this.parent = parent;
    this.places = List.copyOf(places);
  }

  @Override
  public synchronized Optional<Path> folder() throws IOException {
    if (made == null) {
      var program = program();
      if (program.isEmpty()) {
        return Optional.empty();
      }
      made = links(program.get());
    }
    return Optional.of(made);
  }

  private Optional<Path> program() {
    return places.stream()
        .map(place -> place.resolve(PROGRAM))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private Path links(Path program) throws IOException {
    var commands = commands(program);
    var folder = parent.resolve("%08x".formatted(List.of(program, commands).hashCode()));
    if (Files.isDirectory(folder)) {
      return folder;
    }
    Files.createDirectories(parent);
    Path draft = Files.createTempDirectory(parent, "draft");
    for (String command : commands) {
      Files.createSymbolicLink(draft.resolve(command), program);
    }
    Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rwxr-xr-x"));
    return Files.move(draft, folder, StandardCopyOption.ATOMIC_MOVE); // never seen half made
  }

  private static List<String> commands(Path program) throws IOException {
    var process =
        new ProcessBuilder(program.toString(), "--list")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (var output = process.getInputStream()) {
      process.getOutputStream().close();
      return new String(output.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(name -> !name.isBlank() && !name.contains("/") && !name.equals(PROGRAM))
          .distinct()
          .sorted()
          .toList();
    } finally {
      process.destroy();
    }
  }
}
