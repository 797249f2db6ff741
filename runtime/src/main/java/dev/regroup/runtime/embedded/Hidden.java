package dev.regroup.runtime.embedded;

import java.nio.file.Path;

/** A path of the host whose content is nothing for containers. */
record Hidden(Path path, ContainerPlan.Kind kind) {

  static Hidden directory(Path path) {
    return new Hidden(path, ContainerPlan.Kind.DIRECTORY);
  }

  static Hidden file(Path path) {
    return new Hidden(path, ContainerPlan.Kind.FILE);
  }
}
