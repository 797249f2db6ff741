package dev.regroup.node.pod;

import dev.regroup.runtime.PodUid;
import java.nio.file.Path;

/** Where the node keeps what belongs to one pod. Everything is removed with the pod. */
public record PodDirectory(Path root) {

  public static PodDirectory of(Path node, PodUid pod) {
    return new PodDirectory(node.resolve("pods").resolve(pod.value()));
  }

  public Path cycle() {
    return root.resolve("cycle");
  }

  public Path volumes() {
    return root.resolve("volumes");
  }

  public Path etc() {
    return root.resolve("etc");
  }

  /** Shown to workers of a group: the file {@code attempt} (JS-166). */
  public Path group() {
    return root.resolve("group");
  }

  /** In the same directory; a worker may write its step into it. */
  public Path progress() {
    return group().resolve("progress");
  }
}
