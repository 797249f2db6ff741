package dev.regroup.runtime.embedded;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Takes directories away at once, by renaming them, and deletes them in the background on the
 * thread {@code sweeper}. What a crash leaves here is deleted at the next start.
 */
final class Trash implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger(Trash.class.getName());

  private final Path directory;
  private final ExecutorService sweeper =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("sweeper").daemon(true).factory());

  Trash(Path directory) throws IOException {
    this.directory = directory;
    Files.createDirectories(directory);
    sweeper.execute(this::sweep);
  }

  /** Gone when this returns; a directory that is not there is fine. */
  void take(Path path) throws IOException {
    try {
      Files.move(
          path,
          directory.resolve(path.getFileName() + "-" + UUID.randomUUID()),
          StandardCopyOption.ATOMIC_MOVE);
    } catch (NoSuchFileException e) {
      return;
    }
    sweeper.execute(this::sweep);
  }

  /** Waits until everything taken so far is deleted or the time is over. */
  @Override
  public void close() {
    sweeper.shutdown();
    try {
      if (!sweeper.awaitTermination(30, TimeUnit.SECONDS)) {
        sweeper.shutdownNow(); // the next start goes on with it
      }
    } catch (InterruptedException e) {
      sweeper.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private void sweep() {
    try (var entries = Files.list(directory)) {
      for (Path entry : entries.toList()) {
        if (Thread.interrupted()) {
          return;
        }
        delete(entry);
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot empty " + directory + ": " + e.getMessage());
    }
  }

  private static void delete(Path tree) throws IOException {
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(
              Path folder, @org.jspecify.annotations.Nullable IOException failure)
              throws IOException {
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
