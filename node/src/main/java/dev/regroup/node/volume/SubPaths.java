package dev.regroup.node.volume;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Resolves a subPath inside a volume. What a container wrote into the volume is hostile: a link
 * that leads out of it is refused, missing directories are made one by one.
 */
final class SubPaths {

  private SubPaths() {}

  static Path resolve(String volume, Path root, String subPath) throws VolumeFailure {
    if (subPath.isEmpty()) {
      return root;
    }
    var relative = Path.of(subPath).normalize();
    if (relative.isAbsolute() || relative.startsWith("..")) {
      throw new VolumeFailure(volume, "subPath \"" + subPath + "\" must not leave the volume");
    }
    try {
      var top = root.toRealPath();
      var at = top;
      for (var name : relative) {
        var next = at.resolve(name);
        if (!Files.exists(next, NOFOLLOW_LINKS)) {
          Files.createDirectory(next);
        }
        at = next.toRealPath();
        if (!at.startsWith(top)) {
          throw new VolumeFailure(volume, "subPath \"" + subPath + "\" leads out of the volume");
        }
      }
      return at;
    } catch (IOException e) {
      throw new VolumeFailure(volume, "subPath \"" + subPath + "\": " + e.getMessage(), e);
    }
  }
}
