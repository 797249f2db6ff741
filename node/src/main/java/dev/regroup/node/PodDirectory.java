package dev.regroup.node;

import dev.regroup.runtime.PodUid;
import java.nio.file.Path;

/** Where the node keeps what belongs to one pod. Everything is removed with the pod. */
record PodDirectory(Path root) {

  static PodDirectory of(Path node, PodUid pod) {
    return new PodDirectory(node.resolve("pods").resolve(pod.value()));
  }

  Path cycle() {
    return root.resolve("cycle");
  }

  Path attempts() {
    return root.resolve("attempts");
  }

  Path volumes() {
    return root.resolve("volumes");
  }

  Path etc() {
    return root.resolve("etc");
  }

  /** Shown to workers of a group: the file {@code attempt} (JS-166). */
  Path group() {
    return root.resolve("group");
  }
}
