package dev.regroup.runtime.embedded;

import static java.util.Objects.requireNonNull;

import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.OverlayMount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * The slow part of an attempt's root file system, made before anybody knows whose it will be: the
 * attempt's directory with the places for its changes, and the overlays, which are mounted nowhere
 * until the attempt's tape takes them.
 *
 * @param directory becomes the attempt's by being renamed
 * @param overlays one for each {@link RootEntry.Overlay} of the view, in that order
 */
record PreparedRoot(Path directory, HostView.Snapshot view, List<Fd> overlays)
    implements AutoCloseable {

  static PreparedRoot make(Path directory, HostView.Snapshot view) throws IOException {
    Files.createDirectory(directory);
    Path message = Files.createFile(directory.resolve(Layout.MESSAGE));
    Files.setPosixFilePermissions(message, PosixFilePermissions.fromString("rw-rw-rw-"));
    mode(Files.createDirectory(directory.resolve(Layout.TMP)), 01777);
    Path uppers = Files.createDirectory(directory.resolve(Layout.UPPER));
    Path works = Files.createDirectory(directory.resolve(Layout.WORK));
    var overlays = new ArrayList<Fd>();
    try {
      for (Path lower : view.overlays()) {
        String number = Integer.toString(overlays.size());
        Path upper = Files.createDirectory(uppers.resolve(number));
        likeLower(lower, upper);
        overlays.add(OverlayMount.open(lower, upper, Files.createDirectory(works.resolve(number))));
      }
    } catch (IOException e) {
      overlays.forEach(Fd::close);
      throw e;
    }
    return new PreparedRoot(directory, view, List.copyOf(overlays));
  }

  /** The directory itself shows as the upper one, so /root stays its owner's alone. */
  private static void likeLower(Path lower, Path upper) throws IOException {
    mode(upper, (int) requireNonNull(Files.getAttribute(lower, "unix:mode")) & 07777);
    for (String name : List.of("unix:uid", "unix:gid")) {
      Files.setAttribute(upper, name, Files.getAttribute(lower, name));
    }
  }

  private static void mode(Path path, int mode) throws IOException {
    Files.setAttribute(path, "unix:mode", mode);
  }

  /** Lets go of the overlays; a container that has them keeps them. */
  @Override
  public void close() {
    overlays.forEach(Fd::close);
  }
}
