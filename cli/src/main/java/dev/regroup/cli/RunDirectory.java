package dev.regroup.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;

/** The temporary directory of one run: owner-only, and gone with the run. */
final class RunDirectory implements AutoCloseable {

  static final String PREFIX = "regroup-run-";

  private final Path path;

  private RunDirectory(Path path) {
    this.path = path;
  }

  static RunDirectory make() throws CliFailure {
    Path parent =
        Path.of(System.getenv().getOrDefault("TMPDIR", System.getProperty("java.io.tmpdir")));
    try {
      var ownerOnly =
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
      return new RunDirectory(Files.createTempDirectory(parent, PREFIX, ownerOnly));
    } catch (IOException e) {
      throw new CliFailure(
          parent + ": cannot be written: " + Reason.of(e) + " (set TMPDIR to another place)", e);
    }
  }

  Path data() {
    return path.resolve("data");
  }

  Path kubeconfig() {
    return path.resolve("kubeconfig");
  }

  @Override
  public void close() throws CliFailure {
    delete(path);
  }

  /** Deletes a tree; what vanishes meanwhile is fine. */
  static void delete(Path tree) throws CliFailure {
    if (!Files.exists(tree)) {
      return;
    }
    try (var files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new CliFailure(tree + ": cannot be deleted: " + Reason.of(e), e);
    }
  }
}
