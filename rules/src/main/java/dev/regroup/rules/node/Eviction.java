package dev.regroup.rules.node;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Whether a pod may stay on its node (JB-113): every taint that evicts must be tolerated; of the
 * tolerations that do so the shortest counts.
 */
public sealed interface Eviction {

  /** For good, as long as nothing changes. */
  record Stays() implements Eviction {}

  /** For this long from the time on when the taints were first seen beside the pod. */
  record StaysFor(Duration limit) implements Eviction {}

  /** A taint is not tolerated. */
  record Goes() implements Eviction {}

  static Eviction of(Collection<Taint> taints, Collection<Toleration> tolerations) {
    var evicting = taints.stream().filter(Taint::evicts).toList();
    if (!evicting.stream().allMatch(taint -> Toleration.any(tolerations, taint))) {
      return new Goes();
    }
    var shortest = shortest(evicting, tolerations);
    if (shortest.isEmpty()) {
      return new Stays();
    }
    return shortest.get().isPositive() ? new StaysFor(shortest.get()) : new Goes();
  }

  private static Optional<Duration> shortest(
      List<Taint> taints, Collection<Toleration> tolerations) {
    return tolerations.stream()
        .filter(toleration -> taints.stream().anyMatch(toleration::tolerates))
        .flatMap(toleration -> toleration.limit().stream())
        .min(Duration::compareTo);
  }
}
