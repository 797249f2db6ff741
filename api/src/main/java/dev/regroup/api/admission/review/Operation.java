package dev.regroup.api.admission.review;

/** What the request does to the object. */
public enum Operation {
  CREATE,
  /** Write of the main resource: the status of the stored object stays. */
  UPDATE,
  /** Write of {@code /status}: the spec of the stored object stays. */
  UPDATE_STATUS,
  /** Write of a pod's {@code /ephemeralcontainers}. */
  UPDATE_EPHEMERAL_CONTAINERS,
  /** Write of a pod's {@code /resize}: only the resources of its containers change. */
  UPDATE_RESIZE,
  /** The stored object goes; the new one is empty. Kinds have nothing to say to it. */
  DELETE,
  /** Somebody wants to talk with a container; the object says how. Nothing is stored. */
  CONNECT,
  /**
   * Something is done to the object by creating a part that is not stored: a binding, an eviction.
   */
  ACT;

  /** In the words of policies and webhooks. */
  public String wireName() {
    return switch (this) {
      case CREATE, DELETE, CONNECT -> name();
      case ACT -> "CREATE";
      case UPDATE, UPDATE_STATUS, UPDATE_EPHEMERAL_CONTAINERS, UPDATE_RESIZE -> "UPDATE";
    };
  }

  /** Whether an object is to be stored. */
  public boolean writes() {
    return switch (this) {
      case CREATE, UPDATE, UPDATE_STATUS, UPDATE_EPHEMERAL_CONTAINERS, UPDATE_RESIZE -> true;
      case DELETE, CONNECT, ACT -> false;
    };
  }
}
