package dev.regroup.cli.chaos;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What can be done to a worker. */
public enum Harm {
  /** SIGKILL to all its processes. */
  KILL("gets SIGKILL"),
  /** SIGTERM to all its processes. */
  TERMINATE("gets SIGTERM"),
  /** SIGSTOP: it hangs, for a while or for good. */
  STOP("is stopped and hangs"),
  /** Its memory is filled up to the limit. */
  FILL("gets its memory filled"),
  /** Nothing reaches it or comes from it for a while. */
  CUT("is cut off from the network"),
  /** Its pod is deleted. */
  DELETE("gets its pod deleted"),
  /** Its pod is evicted, as a drain of its node does. */
  EVICT("gets its pod evicted");

  private final String words;

  Harm(String words) {
    this.words = words;
  }

  /** As a plan spells it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What a worker has to bear, in words. */
  String words() {
    return words;
  }

  /** Whether it can be said how long it lasts. */
  boolean canLast() {
    return this == STOP || this == CUT;
  }

  /** Whether the group has to start again because of it. */
  boolean isFatal() {
    return this != STOP && this != CUT;
  }

  static Optional<Harm> of(String word) {
    return Arrays.stream(values()).filter(harm -> harm.word().equals(word)).findFirst();
  }

  static String all() {
    return Arrays.stream(values()).map(Harm::word).collect(Collectors.joining(", "));
  }
}
