package dev.regroup.rules.group;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The restart counts one pod's containers are compared with, by name. Handed to {@link PodSigns}
 * with the pod and handed back; lost with its keeper, and then taken anew from what is seen next:
 * an accelerator (JS-142).
 *
 * @param attempt the running attempt that {@code workers} belongs to
 * @param workers counts when each worker was first seen running in that attempt (JS-160)
 * @param arrival counts since when restarts on the way to the barrier are added up (JS-145)
 */
public record Baseline(
    OptionalInt attempt, Map<String, Integer> workers, Map<String, Integer> arrival) {

  /** Of a pod nobody has looked at. */
  public static final Baseline NONE = new Baseline(OptionalInt.empty(), Map.of(), Map.of());

  public Baseline {
    workers = Map.copyOf(workers);
    arrival = Map.copyOf(arrival);
  }

  /** The counts of this running attempt: what another one began with says nothing about it. */
  Baseline in(int current) {
    return attempt.equals(OptionalInt.of(current))
        ? this
        : new Baseline(OptionalInt.of(current), Map.of(), arrival);
  }

  /** Whether the worker was restarted since it was first seen. */
  boolean rose(GroupPod.Container worker) {
    return worker.restartCount() > workers.getOrDefault(worker.name(), worker.restartCount());
  }

  /** With a worker's count, unless one is known. */
  Baseline withWorker(GroupPod.Container worker) {
    return workers.containsKey(worker.name())
        ? this
        : new Baseline(attempt, with(workers, worker), arrival);
  }

  /** How often the container was restarted since the count that is known; 0 for none. */
  int risen(GroupPod.Container container) {
    return container.restartCount()
        - arrival.getOrDefault(container.name(), container.restartCount());
  }

  /** With a count to begin from, unless one is known. */
  Baseline known(GroupPod.Container container) {
    return arrival.containsKey(container.name()) ? this : from(container);
  }

  /** From this container's count on. */
  Baseline from(GroupPod.Container container) {
    return Integer.valueOf(container.restartCount()).equals(arrival.get(container.name()))
        ? this
        : new Baseline(attempt, workers, with(arrival, container));
  }

  private static Map<String, Integer> with(
      Map<String, Integer> counts, GroupPod.Container container) {
    var more = new HashMap<>(counts);
    more.put(container.name(), container.restartCount());
    return more;
  }
}
