package dev.regroup.runtime.embedded.root;

import dev.regroup.runtime.embedded.tapes.Hidden;
import dev.regroup.runtime.embedded.tapes.RootEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Looks at the host's root directory and says how each part shows up in containers. Until images
 * replace it, a container sees the host's programs; never its processes, devices, temporary files
 * or Regroup's own data.
 */
final class HostRoot {

  /** Containers have their own of these. */
  private static final Set<String> OWN = Set.of("proc", "sys", "dev", "run", "tmp", "lost+found");

  /** File systems that lie below a directory and hold files people use. */
  private static final Set<String> ORDINARY =
      Set.of(
          "ext2",
          "ext3",
          "ext4",
          "xfs",
          "btrfs",
          "tmpfs",
          "zfs",
          "f2fs",
          "nfs",
          "nfs4",
          "9p",
          "virtiofs",
          "vfat");

  private static final int MOST_INNER_MOUNTS = 32;

  private HostRoot() {}

  /** Whether containers have something of their own in place of it. */
  static boolean isOwn(Path path) {
    return path.getNameCount() > 0 && OWN.contains(path.getName(0).toString());
  }

  /**
   * The entries, a directory always before what lies in it.
   *
   * @param mountinfo what is mounted where, as the kernel writes it
   * @param noOverlay directories an overlay is not possible on
   */
  static List<RootEntry> look(Path root, String mountinfo, List<Hidden> hidden, Set<Path> noOverlay)
      throws IOException {
    var entries = new ArrayList<RootEntry>();
    try (var names = Files.list(root)) {
      for (Path path : names.sorted().toList()) {
        if (OWN.contains(String.valueOf(path.getFileName()))) {
          continue;
        }
        if (Files.isSymbolicLink(path)) {
          entries.add(new RootEntry.Link(path, Files.readSymbolicLink(path).toString()));
        } else if (hidden.stream().anyMatch(secret -> secret.path().equals(path))) {
          entries.add(new RootEntry.Emptied(path));
        } else if (Files.isDirectory(path)) {
          entries.add(directory(path, noOverlay));
        }
      }
    }
    for (Path mount : innerMounts(mountinfo)) {
      boolean shown = entries.stream().anyMatch(entry -> mount.startsWith(entry.path()));
      boolean secret = hidden.stream().anyMatch(known -> mount.startsWith(known.path()));
      if (shown && !secret) {
        entries.add(directory(mount, noOverlay));
      }
    }
    return entries;
  }

  private static RootEntry directory(Path path, Set<Path> noOverlay) throws IOException {
    if (noOverlay.contains(path)) {
      return new RootEntry.ReadOnly(path);
    }
    try (var content = Files.list(path)) {
      return content.findAny().isPresent()
          ? new RootEntry.Overlay(path)
          : new RootEntry.Empty(path);
    } catch (java.nio.file.AccessDeniedException e) {
      return new RootEntry.Overlay(path);
    }
  }

  /** An overlay shows one file system: what is mounted further down needs an entry of its own. */
  private static List<Path> innerMounts(String mountinfo) {
    var mounts = new ArrayList<Path>();
    for (String line : mountinfo.lines().toList()) {
      String[] halves = line.split(" - ", 2);
      String[] fields = halves[0].split(" ", -1);
      if (halves.length < 2 || fields.length < 5) {
        continue;
      }
      String type = halves[1].split(" ", -1)[0];
      Path point = Path.of(unescaped(fields[4]));
      if (point.getNameCount() > 1 && ORDINARY.contains(type) && Files.isDirectory(point)) {
        mounts.add(point);
      }
    }
    return mounts.stream()
        .distinct()
        .sorted(Comparator.comparingInt(Path::getNameCount).thenComparing(Path::toString))
        .limit(MOST_INNER_MOUNTS)
        .toList();
  }

  /** The kernel writes blanks in paths as octal numbers. */
  private static String unescaped(String path) {
    return path.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
  }
}
