package dev.regroup.runtime;

import static java.util.Objects.requireNonNull;

import java.util.Comparator;
import java.util.regex.Pattern;

/**
 * One run of one container of one pod. It is the idempotence key of a start: for one key there is
 * never more than one process, whatever crashes in between.
 */
public record ContainerKey(PodUid pod, String name, int run) implements Comparable<ContainerKey> {

  private static final Pattern SAFE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");
  private static final Comparator<ContainerKey> ORDER =
      Comparator.comparing(ContainerKey::pod)
          .thenComparing(ContainerKey::name)
          .thenComparingInt(ContainerKey::run);

  public ContainerKey {
    requireNonNull(pod, "pod");
    if (!SAFE.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "container name: must match " + SAFE.pattern() + ", got \"" + name + "\"");
    }
    if (run < 0) {
      throw new IllegalArgumentException("run: must be at least 0, got " + run);
    }
  }

  /** Where the keys of a pod begin in their order. */
  public static ContainerKey firstOf(PodUid pod) {
    return new ContainerKey(pod, "0", 0); // no name comes before this one
  }

  public ContainerKey next() {
    return new ContainerKey(pod, name, run + 1);
  }

  @Override
  public int compareTo(ContainerKey other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return pod + "/" + name + "/" + run;
  }
}
