package dev.regroup.api.admission.review;

/** What the request does to the object. */
public enum Operation {
  CREATE,
  /** Write of the main resource: the status of the stored object stays. */
  UPDATE,
  /** Write of {@code /status}: the spec of the stored object stays. */
  UPDATE_STATUS,
  /** Write of a pod's {@code /ephemeralcontainers}. */
  UPDATE_EPHEMERAL_CONTAINERS
}
