package dev.regroup.agent;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Copies the agent with everything it needs into a folder, mostly a volume that the worker's
 * container mounts too: its image need not know of the agent, nor have a Java.
 */
final class AgentInstall {

  private AgentInstall() {}

  /** Copies the folder that holds the running jar; modes and links stay. */
  static void into(Path target) throws IOException {
    Path home = Path.of(System.getProperty("java.class.path")).toAbsolutePath().getParent();
    if (home == null || !Files.exists(home.resolve("in-place-restart-agent"))) {
      throw new IOException(
          "install: only from the agent's own folder, not from " + home + " (use its image)");
    }
    Files.walkFileTree(home, new Copy(home, target));
  }

  private static final class Copy extends SimpleFileVisitor<Path> {
    private final Path home;
    private final Path target;

    Copy(Path home, Path target) {
      this.home = home;
      this.target = target;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
        throws IOException {
      Files.createDirectories(target.resolve(home.relativize(folder).toString()));
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.copy(
          file,
          target.resolve(home.relativize(file).toString()),
          java.nio.file.LinkOption.NOFOLLOW_LINKS,
          StandardCopyOption.COPY_ATTRIBUTES,
          StandardCopyOption.REPLACE_EXISTING);
      return FileVisitResult.CONTINUE;
    }
  }
}
