package dev.regroup.runtime.embedded.root;

import static java.util.Objects.requireNonNull;

import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.Trash;
import dev.regroup.runtime.embedded.tapes.Hidden;
import dev.regroup.runtime.embedded.tapes.RootEntry;
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
import org.jspecify.annotations.Nullable;

/**
 * The host's directories as containers see them. Which of them can lie under an overlay is tried
 * once, with one that is never mounted anywhere; where it is not possible containers see the
 * directory read-only, and this program says so.
 */
public final class HostView implements RootSource {

  private static final System.Logger LOG = System.getLogger(HostView.class.getName());
  private static final Path ROOT = Path.of("/");
  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

  private final List<Hidden> hidden;
  private final HiddenRegister others;
  private final List<Hidden> masks;
  private final Set<Path> noOverlay;

  private HostView(
      List<Hidden> hidden, HiddenRegister others, List<Hidden> masks, Set<Path> noOverlay) {
    this.hidden = List.copyOf(hidden);
    this.others = others;
    this.masks = List.copyOf(masks);
    this.noOverlay = Set.copyOf(noOverlay);
  }

  /**
   * The host's root at one moment.
   *
   * @param hidden what must not show, whatever entry it lies in
   * @param changed when the directories changed whose content decides about the entries
   * @param mounts the host's mounts as the kernel lists them
   */
  record Snapshot(
      List<RootEntry> entries,
      List<Hidden> hidden,
      List<Hidden> masks,
      Map<Path, FileTime> changed,
      String mounts)
      implements RootView {
    Snapshot {
      entries = List.copyOf(entries);
      hidden = List.copyOf(hidden);
      masks = List.copyOf(masks);
      changed = Map.copyOf(changed);
    }

    @Override
    public List<Hidden> hiddenIn(RootEntry.Overlay overlay) {
      return hidden.stream().filter(secret -> overlay.equals(entryOf(secret.path()))).toList();
    }

    @Override
    public List<Hidden> uncovered() {
      return hidden.stream()
          .filter(secret -> entryOf(secret.path()) instanceof RootEntry.ReadOnly)
          .filter(secret -> Files.exists(secret.path()))
          .toList();
    }

    @Override
    public boolean isCurrent() throws IOException {
      for (var entry : changed.entrySet()) {
        if (!Files.exists(entry.getKey())
            || !Files.getLastModifiedTime(entry.getKey()).equals(entry.getValue())) {
          return false;
        }
      }
      return Files.readString(MOUNTS).equals(mounts);
    }

    private @Nullable RootEntry entryOf(Path path) {
      RootEntry innermost = null;
      for (RootEntry entry : entries) { // a directory comes before what lies in it
        if (path.startsWith(entry.path())) {
          innermost = entry;
        }
      }
      return innermost;
    }
  }

  /** Hides these, what other runtimes of this machine hide of theirs, and the machine's own. */
  public static HostView of(Layout layout, Trash trash, List<Path> directories, List<Path> files)
      throws IOException {
    return of(layout, trash, directories, files, HiddenRegister.ofThisMachine());
  }

  static HostView of(
      Layout layout, Trash trash, List<Path> directories, List<Path> files, HiddenRegister others)
      throws IOException {
    var machine = new ArrayList<>(HostSecrets.find(ROOT));
    machine.add(Hidden.directory(others.directory()));
    var own = new ArrayList<Hidden>();
    for (Path path : directories) {
      Files.createDirectories(path);
      own.add(Hidden.directory(path.toRealPath()));
    }
    for (Path path : files) {
      own.addAll(hiddenFile(path));
    }
    own.removeIf(one -> machine.stream().anyMatch(o -> one.path().startsWith(o.path())));
    others.keep(layout.directory(), own);
    machine.addAll(own);
    var hidden = outermost(machine);
    var masks = HostSecrets.kernelFiles();
    var first = new HostView(hidden, others, masks, Set.of()).look();
    var refused = refused(first.entries(), layout, trash);
    if (!refused.isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "containers see these directories read-only, an overlay is not possible: " + refused);
    }
    return new HostView(hidden, others, masks, refused);
  }

  private static List<Hidden> outermost(List<Hidden> all) {
    return all.stream()
        .filter(one -> all.stream().noneMatch(other -> inside(one.path(), other.path())))
        .distinct()
        .toList();
  }

  /** The file, and what it points at if it is a link. Its folder must be there to hide it. */
  private static List<Hidden> hiddenFile(Path path) throws IOException {
    Path folder = requireNonNull(path.getParent(), "folder");
    Files.createDirectories(folder);
    var itself = Hidden.file(folder.toRealPath().resolve(requireNonNull(path.getFileName())));
    return Files.exists(path) ? List.of(itself, Hidden.file(path.toRealPath())) : List.of(itself);
  }

  private static Set<Path> refused(List<RootEntry> entries, Layout layout, Trash trash)
      throws IOException {
    var candidates =
        entries.stream().filter(RootEntry.Overlay.class::isInstance).map(RootEntry::path).toList();
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

  @Override
  public Snapshot look() throws IOException {
    String mounts = Files.readString(MOUNTS); // first: a later change is noticed later
    var changed = new HashMap<Path, FileTime>();
    changed.put(ROOT, Files.getLastModifiedTime(ROOT));
    others.changed().ifPresent(time -> changed.put(others.directory(), time));
    var all = new ArrayList<>(hidden);
    all.addAll(others.all());
    var secrets = outermost(all);
    var entries = HostRoot.look(ROOT, mounts, secrets, noOverlay);
    for (RootEntry entry : entries) {
      if (entry instanceof RootEntry.Empty(Path path)) {
        changed.put(path, Files.getLastModifiedTime(path));
      }
    }
    return new Snapshot(entries, secrets, masks, changed, mounts);
  }
}
