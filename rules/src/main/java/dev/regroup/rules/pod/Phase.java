package dev.regroup.rules.pod;

/** Phase of a pod. */
public enum Phase {
  PENDING("Pending"),
  RUNNING("Running"),
  SUCCEEDED("Succeeded"),
  FAILED("Failed");

  private final String wireName;

  Phase(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }

  /** Succeeded and Failed are final (IMM-04, STS-06). */
  public boolean isTerminal() {
    return this == SUCCEEDED || this == FAILED;
  }
}
