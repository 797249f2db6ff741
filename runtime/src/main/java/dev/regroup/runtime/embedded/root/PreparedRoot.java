package dev.regroup.runtime.embedded.root;

import static java.util.Objects.requireNonNull;

import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.tapes.Hidden;
import dev.regroup.runtime.embedded.tapes.RootEntry;
import dev.regroup.runtime.linux.DetachedMount;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.OverlayMount;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * The slow part of a run's root file system, made before anybody knows whose it will be: the run's
 * directory with the places for its changes, and the overlays, which are mounted nowhere until the
 * run's tape takes them. What containers must not see of the host is covered there.
 *
 * @param directory becomes the run's by being renamed
 * @param mounts one for each entry of the view that {@link RootEntry#isMade}, in that order
 */
public record PreparedRoot(Path directory, RootView view, List<Fd> mounts)
    implements AutoCloseable {

  static PreparedRoot make(Path directory, RootView view) throws IOException {
    Files.createDirectory(directory);
    Path message = Files.createFile(directory.resolve(Layout.MESSAGE));
    Files.setPosixFilePermissions(message, PosixFilePermissions.fromString("rw-rw-rw-"));
    mode(Files.createDirectory(directory.resolve(Layout.TMP)), 01777);
    Path uppers = Files.createDirectory(directory.resolve(Layout.UPPER));
    Path works = Files.createDirectory(directory.resolve(Layout.WORK));
    var mounts = new ArrayList<Fd>();
    try {
      for (RootEntry entry : view.entries()) {
        if (entry.isMade()) {
          String number = Integer.toString(mounts.size());
          Path upper = Files.createDirectory(uppers.resolve(number));
          likeLower(entry.path(), upper);
          mounts.add(mount(entry, view, upper, works.resolve(number)));
        }
      }
    } catch (IOException e) {
      mounts.forEach(Fd::close);
      throw e;
    }
    return new PreparedRoot(directory, view, List.copyOf(mounts));
  }

  private static Fd mount(RootEntry entry, RootView view, Path upper, Path work)
      throws IOException {
    if (!(entry instanceof RootEntry.Overlay overlay)) {
      return DetachedMount.of(upper);
    }
    for (Hidden hidden : view.hiddenIn(overlay)) {
      cover(overlay.path(), upper, hidden);
    }
    return OverlayMount.open(overlay.path(), upper, Files.createDirectory(work));
  }

  /** Puts something empty on top of it; what is not there yet never shows. */
  private static void cover(Path lower, Path upper, Hidden hidden) throws IOException {
    Path below = lower.relativize(hidden.path());
    Path parent = upper;
    for (int i = 1; i < below.getNameCount(); i++) {
      parent = upper.resolve(below.subpath(0, i));
      Path covered = lower.resolve(below.subpath(0, i));
      if (!Files.isDirectory(covered)) {
        return; // it was removed since
      }
      if (!Files.isDirectory(parent)) {
        likeLower(covered, Files.createDirectory(parent));
      }
    }
    Path cover = parent.resolve(requireNonNull(below.getFileName(), "name"));
    if (!Files.exists(hidden.path())) {
      OverlayMount.hide(cover);
      return;
    }
    switch (hidden.kind()) {
      case FILE -> likeLower(hidden.path(), Files.createFile(cover));
      case DIRECTORY -> coverDirectory(hidden.path(), cover);
    }
  }

  private static void coverDirectory(Path lower, Path cover) throws IOException {
    Files.createDirectory(cover);
    try {
      OverlayMount.hideContent(cover);
      likeLower(lower, cover);
    } catch (SyscallFailure e) { // a file system without attributes: then it does not show at all
      Files.delete(cover);
      OverlayMount.hide(cover);
    }
  }

  /** The directory itself shows as the upper one, so /root stays its owner's alone. */
  private static void likeLower(Path lower, Path upper) throws IOException {
    mode(upper, (int) requireNonNull(Files.getAttribute(lower, "unix:mode")) & 07777);
    for (String name : List.of("unix:uid", "unix:gid")) {
      var owner = requireNonNull(Files.getAttribute(lower, name));
      if (!owner.equals(0)) { // as it is made
        Files.setAttribute(upper, name, owner);
      }
    }
  }

  private static void mode(Path path, int mode) throws IOException {
    Files.setAttribute(path, "unix:mode", mode);
  }

  /** Lets go of the mounts; a container that has them keeps them. */
  @Override
  public void close() {
    mounts.forEach(Fd::close);
  }
}
