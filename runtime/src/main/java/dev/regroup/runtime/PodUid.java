package dev.regroup.runtime;

import java.util.regex.Pattern;

/**
 * Identity of a pod. It names directories, so it is restricted to what is safe there; every UID an
 * API server hands out fits.
 */
public record PodUid(String value) implements Comparable<PodUid> {

  private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,127}");

  public PodUid {
    if (!SAFE.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "pod uid: must match " + SAFE.pattern() + ", got \"" + value + "\"");
    }
  }

  @Override
  public int compareTo(PodUid other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
