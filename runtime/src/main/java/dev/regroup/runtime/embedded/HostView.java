package dev.regroup.runtime.embedded;

import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.process.TapeRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The host's directories as containers see them. Which of them can lie under an overlay is tried
 * once, in a mount namespace that is gone right afterwards; where it is not possible containers see
 * the directory read-only, and this program says so.
 */
final class HostView implements ContainerStarter.Root {

  private static final System.Logger LOG = System.getLogger(HostView.class.getName());
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Path ROOT = Path.of("/");

  private final List<Path> hidden;
  private final Set<Path> noOverlay;

  private HostView(List<Path> hidden, Set<Path> noOverlay) {
    this.hidden = List.copyOf(hidden);
    this.noOverlay = Set.copyOf(noOverlay);
  }

  static HostView look(TapeRunner runner, Layout layout, Trash trash, List<Path> toHide)
      throws IOException {
    var real = new ArrayList<Path>();
    for (Path path : toHide) {
      Files.createDirectories(path);
      real.add(path.toRealPath());
    }
    var outer =
        real.stream().filter(path -> real.stream().noneMatch(o -> inside(path, o))).toList();
    var candidates =
        HostRoot.look(ROOT, outer, Set.of()).stream()
            .filter(RootEntry.Overlay.class::isInstance)
            .map(RootEntry::path)
            .toList();
    Path scratch = Files.createTempDirectory(layout.directory(), "probe");
    var tape = OverlayProbe.of(candidates, scratch, layout.mountPoint());
    var launched = runner.launch(tape, List.of("regroup-probe"), List.of(), PATIENCE);
    Linux.reapWaiting(launched.pid());
    trash.take(scratch);
    var refused = new HashSet<Path>();
    for (byte[] report : launched.messages()) {
      refused.addAll(OverlayProbe.refused(candidates, report));
    }
    if (!refused.isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "containers see these directories read-only, an overlay is not possible: " + refused);
    }
    return new HostView(outer.stream().distinct().toList(), refused);
  }

  private static boolean inside(Path path, Path outer) {
    return path.startsWith(outer) && !path.equals(outer);
  }

  @Override
  public List<RootEntry> entries() throws IOException {
    return HostRoot.look(ROOT, hidden, noOverlay);
  }

  /** Only what lies in a directory containers see: the rest does not show anyway. */
  @Override
  public List<Path> hidden() {
    return hidden.stream().filter(HostRoot::shows).toList();
  }
}
