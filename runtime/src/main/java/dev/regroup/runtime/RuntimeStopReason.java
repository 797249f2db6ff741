package dev.regroup.runtime;

/**
 * Why the node itself stopped a container. Kept with the record before the signal is sent, so that
 * an exit the node caused is told from one the program chose (DEC-50), also after a crash.
 */
public enum RuntimeStopReason {
  /** A restart of all containers is under way (RAC-13). */
  RESTART_ALL,
  /** The group moves on to another attempt (JS-165a). */
  GROUP_ORDER,
  /** A person or program asked for it (RAC-08). */
  REQUEST,
  /** A liveness or startup probe failed; the only own stop that rules may match (DEC-48). */
  PROBE,
  /** The image in the pod's spec changed. */
  IMAGE_CHANGE,
  /** A resize needs a restart. */
  RESIZE,
  /** The pod ends: deletion, terminal phase, eviction (TERM-01). */
  POD_END,
  /** Its sandbox is gone (SEQ-25), or a newer attempt of the same container exists. */
  RECOVERY
}
