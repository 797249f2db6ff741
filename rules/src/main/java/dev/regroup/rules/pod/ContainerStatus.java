package dev.regroup.rules.pod;

import java.util.Objects;

/**
 * One entry of the container statuses (node.md 6.2).
 *
 * @param containerId {@link ContainerId#NONE} while waiting
 * @param image the image of the record, or of the spec when there is none
 */
public record ContainerStatus(
    String name,
    ContainerKind kind,
    ContainerState state,
    ContainerState lastState,
    int restartCount,
    boolean ready,
    boolean started,
    ContainerId containerId,
    String image) {

  public ContainerStatus {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(lastState, "lastState");
    Objects.requireNonNull(containerId, "containerId");
    Objects.requireNonNull(image, "image");
  }
}
