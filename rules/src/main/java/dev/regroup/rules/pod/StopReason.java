package dev.regroup.rules.pod;

/**
 * Why the node stops a container. Stored with the container's record before the signal is sent, so
 * that the exit is judged rightly also after a crash of the node (DEC-48, DEC-50).
 */
public enum StopReason {
  /** Nobody asked: an exit is the container's own. */
  NONE,
  /** Pod end: deletion, eviction, deadline, terminal phase, completion (node.md 3.4, 5). */
  POD_END,
  /** Victim of a restart of all containers. */
  RESTART_ALL,
  LIVENESS_FAILED,
  STARTUP_FAILED,
  POST_START_FAILED,
  /** Image or resources changed. */
  DEFINITION_CHANGED,
  /** A request for this one container (RAC-08). */
  REQUESTED,
  /** The sandbox is gone; the exit is judged like any other, and is no success (SEQ-25). */
  SANDBOX_LOST,
  /** A newer run of the same container exists: two never run side by side. */
  SUPERSEDED;

  /** DEC-50: such an exit is never matched against rules; the container simply starts again. */
  public boolean startsAgain() {
    return switch (this) {
      case DEFINITION_CHANGED, REQUESTED -> true;
      case NONE,
          POD_END,
          RESTART_ALL,
          LIVENESS_FAILED,
          STARTUP_FAILED,
          POST_START_FAILED,
          SANDBOX_LOST,
          SUPERSEDED ->
          false;
    };
  }

  /** Whether the stop is the first half of a replacement of this one container. */
  public boolean replaces() {
    return switch (this) {
      case DEFINITION_CHANGED, REQUESTED, LIVENESS_FAILED, STARTUP_FAILED -> true;
      case NONE, POD_END, RESTART_ALL, POST_START_FAILED, SANDBOX_LOST, SUPERSEDED -> false;
    };
  }
}
