package dev.regroup.runtime.embedded;

import dev.regroup.runtime.linux.OverlayMount;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The host's directories as containers see them. Which of them can lie under an overlay is tried
 * once, with one that is never mounted anywhere; where it is not possible containers see the
 * directory read-only, and this program says so.
 */
final class HostView {

  private static final System.Logger LOG = System.getLogger(HostView.class.getName());
  private static final Path ROOT = Path.of("/");
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

  private final List<Path> hidden;
  private final Set<Path> noOverlay;

  private HostView(List<Path> hidden, Set<Path> noOverlay) {
    this.hidden = List.copyOf(hidden);
    this.noOverlay = Set.copyOf(noOverlay);
  }

  /**
   * The host's root at one moment.
   *
   * @param changed when the directories changed whose content decides about the entries
   * @param mounts the host's mounts as the kernel lists them
   */
  record Snapshot(List<RootEntry> entries, Map<Path, FileTime> changed, String mounts) {
    Snapshot {
      entries = List.copyOf(entries);
      changed = Map.copyOf(changed);
    }

    List<Path> overlays() {
      return entries.stream()
          .filter(RootEntry.Overlay.class::isInstance)
          .map(RootEntry::path)
          .toList();
    }
  }

  static HostView look(Layout layout, Trash trash, List<Path> toHide) throws IOException {
    var real = new ArrayList<Path>();
    for (Path path : toHide) {
      Files.createDirectories(path);
      real.add(path.toRealPath());
    }
    var outer =
        real.stream()
            .filter(path -> real.stream().noneMatch(o -> inside(path, o)))
            .distinct()
            .toList();
    var refused = refused(new HostView(outer, Set.of()).snapshot().overlays(), layout, trash);
    if (!refused.isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "containers see these directories read-only, an overlay is not possible: " + refused);
    }
    return new HostView(outer, refused);
  }

  private static Set<Path> refused(List<Path> candidates, Layout layout, Trash trash)
      throws IOException {
    Files.createDirectories(layout.prepared()); // emptied at the next start, should this one die
    Path scratch = Files.createTempDirectory(layout.prepared(), "probe");
    var refused = new HashSet<Path>();
    for (int i = 0; i < candidates.size(); i++) {
      Path upper = Files.createDirectory(scratch.resolve("upper" + i));
      Path work = Files.createDirectory(scratch.resolve("work" + i));
      try {
        OverlayMount.open(candidates.get(i), upper, work).close();
      } catch (SyscallFailure e) {
        refused.add(candidates.get(i));
      }
    }
    trash.take(scratch);
    return refused;
  }

  private static boolean inside(Path path, Path outer) {
    return path.startsWith(outer) && !path.equals(outer);
  }

  Snapshot snapshot() throws IOException {
    String mounts = Files.readString(MOUNTS); // first: a later change is noticed later
    var changed = new HashMap<Path, FileTime>();
    changed.put(ROOT, Files.getLastModifiedTime(ROOT));
    var entries = HostRoot.look(ROOT, mounts, hidden, noOverlay);
    for (RootEntry entry : entries) {
      if (entry instanceof RootEntry.Empty(Path path)) {
        changed.put(path, Files.getLastModifiedTime(path));
      }
    }
    return new Snapshot(entries, changed, mounts);
  }

  /** Whether a snapshot taken now would be the same; a lot cheaper than taking it. */
  boolean looksLike(Snapshot earlier) throws IOException {
    for (var entry : earlier.changed().entrySet()) {
      if (!Files.exists(entry.getKey())
          || !Files.getLastModifiedTime(entry.getKey()).equals(entry.getValue())) {
        return false;
      }
    }
    return Files.readString(MOUNTS).equals(earlier.mounts());
  }

  /** Only what lies in a directory containers see: the rest does not show anyway. */
  List<Path> hidden() {
    return hidden.stream().filter(HostRoot::shows).toList();
  }
}
