package dev.regroup.rules;

/** A restart policy. {@link #INHERIT} exists on containers only and means "the field is unset". */
public enum RestartPolicy {
  ALWAYS("Always"),
  ON_FAILURE("OnFailure"),
  NEVER("Never"),
  INHERIT("");

  private final String wireName;

  RestartPolicy(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }

  /** The policy that counts for a container with this own policy in a pod with that one. */
  public RestartPolicy or(RestartPolicy podPolicy) {
    return this == INHERIT ? podPolicy : this;
  }

  /** Whether an exit with this code is followed by a restart when no rule decides (DEC-10). */
  public boolean restartsAfter(int exitCode) {
    return switch (this) {
      case ALWAYS -> true;
      case ON_FAILURE -> exitCode != 0;
      case NEVER, INHERIT -> false;
    };
  }
}
