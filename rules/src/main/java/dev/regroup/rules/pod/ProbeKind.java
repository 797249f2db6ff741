package dev.regroup.rules.pod;

/** The three probes of a container. */
public enum ProbeKind {
  STARTUP("startup"),
  LIVENESS("liveness"),
  READINESS("readiness");

  private final String word;

  ProbeKind(String word) {
    this.word = word;
  }

  /** As it stands in event texts. */
  public String word() {
    return word;
  }
}
