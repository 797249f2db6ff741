package dev.regroup.runtime.embedded.root;

import dev.regroup.runtime.embedded.tapes.Hidden;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What of this machine's files is nothing for containers, though they see the others: people's
 * homes, whatever in /etc other users of the machine may not read, and the state of programs that
 * run containers or keep secrets. Looked up once; what is hidden shows up empty.
 */
final class HostSecrets {

  private static final System.Logger LOG = System.getLogger(HostSecrets.class.getName());

  private static final List<String> DIRECTORIES =
      List.of(
          "root",
          "home",
          "etc/kubernetes",
          "etc/rancher",
          "etc/ssl/private",
          "var/backups",
          "var/lib/cloud",
          "var/lib/containerd",
          "var/lib/containers",
          "var/lib/docker",
          "var/lib/etcd",
          "var/lib/k0s",
          "var/lib/kubelet",
          "var/lib/private",
          "var/lib/rancher",
          "var/lib/regroup",
          "var/lib/sss",
          "var/mail",
          "var/spool/cron",
          "var/spool/mail");

  /** In the homes of users that live elsewhere, as services do. */
  private static final List<String> IN_HOMES =
      List.of(
          ".aws",
          ".azure",
          ".config",
          ".docker",
          ".git-credentials",
          ".gnupg",
          ".kube",
          ".netrc",
          ".ssh");

  /** As containerd masks them. */
  private static final List<String> KERNEL =
      List.of(
          "/proc/acpi",
          "/proc/asound",
          "/proc/interrupts",
          "/proc/kcore",
          "/proc/keys",
          "/proc/latency_stats",
          "/proc/sched_debug",
          "/proc/scsi",
          "/proc/timer_list",
          "/proc/timer_stats",
          "/sys/devices/virtual/powercap");

  static final int MOST = 1000;
  static final int DEPTH = 8;

  private HostSecrets() {}

  /** Below this root. */
  static List<Hidden> find(Path root) throws IOException {
    var found = new LinkedHashSet<Hidden>();
    for (String name : DIRECTORIES) {
      add(root.resolve(name), found);
    }
    unreadable(root.resolve("etc"), found);
    for (Path home : homes(root)) {
      for (String name : IN_HOMES) {
        add(home.resolve(name), found);
      }
    }
    return List.copyOf(found);
  }

  /** Those of the kernel's files that this one has. */
  static List<Hidden> kernelFiles() {
    return KERNEL.stream()
        .map(Path::of)
        .filter(Files::exists)
        .map(path -> Files.isDirectory(path) ? Hidden.directory(path) : Hidden.file(path))
        .toList();
  }

  /** Under its real name: the directory may be a link to where it is. */
  private static void add(Path path, Set<Hidden> found) throws IOException {
    if (Files.isDirectory(path)) {
      found.add(Hidden.directory(path.toRealPath()));
    } else if (Files.isRegularFile(path)) {
      found.add(Hidden.file(path.toRealPath()));
    }
  }

  private static List<Path> homes(Path root) throws IOException {
    Path users = root.resolve("etc/passwd");
    if (!Files.isRegularFile(users)) {
      return List.of();
    }
    var homes = new ArrayList<Path>();
    for (String line : Files.readAllLines(users, java.nio.charset.StandardCharsets.ISO_8859_1)) {
      String[] fields = line.split(":", -1);
      if (fields.length > 5 && fields[5].startsWith("/") && fields[5].length() > 1) {
        homes.add(root.resolve(fields[5].substring(1)));
      }
    }
    return homes;
  }

  private static void unreadable(Path top, Set<Hidden> found) throws IOException {
    if (Files.isDirectory(top)) {
      Files.walkFileTree(top, Set.of(), DEPTH, new Unreadable(top, found));
    }
  }

  /**
   * Finds what others may not read. Where that would take too many entries or too deep a look, the
   * directory is hidden as a whole: a limit never shows what it should hide.
   */
  private static final class Unreadable extends SimpleFileVisitor<Path> {

    private final Path top;
    private final Set<Hidden> found;
    private @Nullable Path whole; // all of it is hidden, nothing below matters

    Unreadable(Path top, Set<Hidden> found) {
      this.top = top;
      this.found = found;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes facts)
        throws IOException {
      if (isDone(directory)) {
        return FileVisitResult.SKIP_SUBTREE;
      }
      if (isForOthers(directory)) {
        return FileVisitResult.CONTINUE;
      }
      found.add(Hidden.directory(directory.toRealPath()));
      return FileVisitResult.SKIP_SUBTREE;
    }

    /** Also called for a directory that is too deep to be looked into. */
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes facts) throws IOException {
      if (isDone(file)) {
        return FileVisitResult.SKIP_SIBLINGS;
      }
      if (facts.isDirectory()) {
        found.add(Hidden.directory(file.toRealPath()));
        warn(file, "it is too deep to look into");
      } else if (facts.isRegularFile() && !isForOthers(file)) {
        found.add(Hidden.file(file.toRealPath()));
      }
      if (found.size() > MOST && !top.equals(file.getParent())) {
        hideWhole(top.resolve(top.relativize(file).getName(0)));
      }
      return FileVisitResult.CONTINUE;
    }

    /** In place of all that was found in it. */
    private void hideWhole(Path directory) throws IOException {
      Path real = directory.toRealPath();
      found.removeIf(one -> one.path().startsWith(real));
      found.add(Hidden.directory(real));
      whole = directory;
      warn(directory, "over " + MOST + " files are not for everybody");
    }

    private static void warn(Path directory, String why) {
      LOG.log(
          System.Logger.Level.WARNING,
          () -> "%s is hidden from containers as a whole: %s".formatted(directory, why));
    }

    private boolean isDone(Path path) {
      return whole != null && path.startsWith(whole);
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) {
      return FileVisitResult.CONTINUE; // gone, or not even ours to read
    }
  }

  private static boolean isForOthers(Path path) throws IOException {
    return Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS)
        .contains(PosixFilePermission.OTHERS_READ);
  }
}
