package dev.regroup.node.volume;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Checks a subPath before a start: one that leaves its volume, or a link in it that does, is told
 * in words. What a container changes between this look and the mount the runtime refuses itself; it
 * also makes what is missing.
 */
final class SubPaths {

  private SubPaths() {}

  /** The subPath in its shortest form; empty = the volume itself. */
  static String check(String volume, String subPath) throws VolumeFailure {
    var relative = Path.of(subPath).normalize();
    if (relative.isAbsolute() || relative.startsWith("..")) {
      throw new VolumeFailure(volume, "subPath \"" + subPath + "\" must not leave the volume");
    }
    return relative.toString();
  }

  /** The same for a volume whose content can be looked at. */
  static String check(String volume, Path root, String subPath) throws VolumeFailure {
    var relative = check(volume, subPath);
    try {
      var top = root.toRealPath();
      var at = top;
      for (var name : Path.of(relative)) {
        var next = at.resolve(name);
        if (!Files.exists(next, NOFOLLOW_LINKS)) {
          return relative;
        }
        at = next.toRealPath();
        if (!at.startsWith(top)) {
          throw new VolumeFailure(volume, "subPath \"" + subPath + "\" leads out of the volume");
        }
      }
      return relative;
    } catch (IOException e) {
      throw new VolumeFailure(volume, "subPath \"" + subPath + "\": " + e.getMessage(), e);
    }
  }
}
