package dev.regroup.runtime.embedded.tapes;

import java.nio.file.Path;

/** A path of the host whose content is nothing for containers. */
public record Hidden(Path path, ContainerPlan.Kind kind) {

  public static Hidden directory(Path path) {
    return new Hidden(path, ContainerPlan.Kind.DIRECTORY);
  }

  public static Hidden file(Path path) {
    return new Hidden(path, ContainerPlan.Kind.FILE);
  }
}
