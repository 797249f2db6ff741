package dev.regroup.node.volume;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.regroup.node.env.ConfigFailure;
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
  static String check(String subPath) throws ConfigFailure {
    var path = Path.of(subPath);
    if (path.isAbsolute()) {
      throw new ConfigFailure("error SubPath `" + subPath + "` must not be an absolute path");
    }
    for (var name : path) {
      if (name.toString().equals("..")) {
        throw new ConfigFailure(
            "unable to provision SubPath `" + subPath + "`: must not contain '..'");
      }
    }
    return path.normalize().toString();
  }

  /** The same for a volume whose content can be looked at. */
  static String check(String volume, String container, Path root, String subPath)
      throws ConfigFailure {
    var relative = check(subPath);
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
          throw unusable(volume, container); // where the link leads is no affair of the pod
        }
      }
      return relative;
    } catch (IOException e) {
      throw unusable(volume, container);
    }
  }

  private static ConfigFailure unusable(String volume, String container) {
    return new ConfigFailure(
        "failed to prepare subPath for volumeMount \"%s\" of container \"%s\""
            .formatted(volume, container));
  }
}
