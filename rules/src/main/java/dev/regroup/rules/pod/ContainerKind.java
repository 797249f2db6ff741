package dev.regroup.rules.pod;

/** The part a container plays in its pod. */
public enum ContainerKind {
  /** An init entry without {@code restartPolicy: Always}: must end before the next entry. */
  INIT,
  /** An init entry with {@code restartPolicy: Always}: must be started before the next entry. */
  SIDECAR,
  /** An entry of {@code spec.containers}. */
  REGULAR,
  /** Added for debugging: never restarted, never a trigger, never counted (DEC-45). */
  EPHEMERAL;

  /** Whether entries of this kind are listed under {@code spec.initContainers}. */
  public boolean isInitEntry() {
    return this == INIT || this == SIDECAR;
  }
}
