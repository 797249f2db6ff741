package dev.regroup.cli.local;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.cli.screen.Reason;
import dev.regroup.runtime.FileTrees;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The temporary directory of one run: owner-only, and gone with the run. A lock in it is held for
 * as long as the run lives, however it ends: so the directory of a run that was killed is known for
 * what it is, and nobody touches that of a living one.
 */
public final class RunDirectory implements AutoCloseable {

  private static final String PREFIX = "regroup-run-";
  private static final String LOCK = "lock";

  private final Path path;
  private final FileChannel lock;

  private RunDirectory(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  public static RunDirectory make() throws CliFailure {
    Path parent = parent();
    try {
      var ownerOnly =
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
      Path draft = Files.createDirectory(parent.resolve("." + PREFIX + shortName()), ownerOnly);
      var lock =
          FileChannel.open(
              draft.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      lock.lock();
      Path path = parent.resolve(draft.getFileName().toString().substring(1));
      Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE); // never seen without its lock
      return new RunDirectory(path, lock);
    } catch (IOException e) {
      throw new CliFailure(
          parent + ": cannot be written: " + Reason.of(e) + " (set TMPDIR to another place)", e);
    }
  }

  /** People read and copy it; {@link Files#createTempDirectory} would make 20 digits. */
  private static String shortName() {
    return new SecureRandom()
        .ints(6, 0, 36)
        .mapToObj(digit -> Character.toString(Character.forDigit(digit, 36)))
        .collect(Collectors.joining());
  }

  /** Directories of this user's runs that were killed; closing one deletes it. */
  static List<RunDirectory> abandoned() throws CliFailure {
    Path parent = parent();
    var found = new ArrayList<RunDirectory>();
    try (var directories = Files.newDirectoryStream(parent, PREFIX + "*")) {
      for (Path directory : directories) {
        if (isMine(directory)) {
          take(directory).ifPresent(found::add);
        }
      }
    } catch (IOException e) {
      throw new CliFailure(parent + ": cannot be read: " + Reason.of(e), e);
    }
    return found;
  }

  public Path data() {
    return path.resolve("data");
  }

  /** The log of the parts; gone with the rest. */
  public Path log() {
    return path.resolve("log");
  }

  public Path kubeconfig() {
    return path.resolve("kubeconfig");
  }

  @Override
  public void close() throws CliFailure {
    try (lock) {
      delete(path);
    } catch (IOException e) {
      throw new CliFailure(path + ": cannot be unlocked: " + Reason.of(e), e);
    }
  }

  private static Path parent() {
    return Path.of(System.getenv().getOrDefault("TMPDIR", System.getProperty("java.io.tmpdir")));
  }

  /** Others may put anything into a place that all can write to. */
  private static boolean isMine(Path directory) throws IOException {
    return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
        && Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS)
            .equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
  }

  private static Optional<RunDirectory> take(Path directory) throws IOException {
    if (Files.notExists(directory.resolve(LOCK))) {
      return Optional.empty(); // another takes it away this moment
    }
    var lock = FileChannel.open(directory.resolve(LOCK), StandardOpenOption.WRITE);
    try {
      if (lock.tryLock() != null) {
        return Optional.of(new RunDirectory(directory, lock));
      }
    } catch (OverlappingFileLockException e) {
      // this process lives in it
    }
    lock.close();
    return Optional.empty();
  }

  /** Deletes a tree; what vanishes meanwhile is fine. */
  private static void delete(Path tree) throws CliFailure {
    try {
      FileTrees.delete(tree);
    } catch (IOException e) {
      throw new CliFailure(tree + ": cannot be deleted: " + Reason.of(e), e);
    }
  }
}
