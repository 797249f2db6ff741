package dev.regroup.rules.job;

import static java.util.Comparator.comparingInt;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which pods to delete and which to make (JB-51 to JB-55, JB-80, JB-81).
 *
 * @param wakeUp when a delay before new pods is over
 */
record Manning(List<JobPod> surplus, List<JobPlan.NewPod> wanted, Instant wakeUp) {

  /** At most so many creations, and so many deletions, in one plan (JB-54). */
  static final int BATCH = 500;

  private static final Duration SHORTEST_WAIT = Duration.ofSeconds(1);

  /** Deletion order of JB-53: whoever is least useful goes first. */
  static final Comparator<JobPod> LEAST_USEFUL_FIRST =
      Comparator.comparing(JobPod::assigned)
          .thenComparing(JobPod::phase)
          .thenComparing(JobPod::ready)
          .thenComparing(Manning::readySince, Comparator.reverseOrder())
          .thenComparing(comparingInt((JobPod pod) -> pod.restarts().worker()).reversed())
          .thenComparing(comparingInt((JobPod pod) -> pod.restarts().sidecar()).reversed())
          .thenComparing(JobPod::createdAt, Comparator.reverseOrder())
          .thenComparing(JobPod::name);

  static final Manning NOTHING = new Manning(List.of(), List.of(), Instant.MAX);

  static Manning of(SeenPods seen, JobBackOff backOff, Instant now) {
    if (seen.spec.wish() == JobSpec.Wish.SUSPEND) {
      return deletions(seen.active);
    }
    var misplaced = misplaced(seen);
    int active = seen.active.size() - misplaced.size();
    int want = seen.wantActive().orElse(active);
    var surplus = new ArrayList<>(misplaced);
    if (active > want) {
      Set<String> gone = new HashSet<>();
      misplaced.forEach(pod -> gone.add(pod.uid()));
      seen.active.stream()
          .filter(pod -> !gone.contains(pod.uid()))
          .sorted(LEAST_USEFUL_FIRST)
          .limit(active - want)
          .forEach(surplus::add);
    }
    if (!surplus.isEmpty()) {
      return deletions(surplus);
    }
    int leaving = seen.spec.replace() == JobSpec.Replace.FAILED ? seen.terminating : 0;
    int missing = want - active - leaving;
    return missing > 0 ? creations(seen, missing, backOff, now) : NOTHING;
  }

  private static Manning deletions(List<JobPod> pods) {
    return new Manning(pods.stream().limit(BATCH).toList(), List.of(), Instant.MAX);
  }

  /** Indexed: no index, an index out of range, a second pod for one index (JB-53). */
  private static List<JobPod> misplaced(SeenPods seen) {
    if (!seen.spec.indexed()) {
      return List.of();
    }
    var surplus = new ArrayList<JobPod>();
    Map<Integer, List<JobPod>> perIndex = new HashMap<>();
    for (var pod : seen.active) {
      if (seen.valid(pod)) {
        perIndex.computeIfAbsent(pod.index().orElseThrow(), _ -> new ArrayList<>()).add(pod);
      } else {
        surplus.add(pod);
      }
    }
    for (var pods : perIndex.values()) {
      pods.sort(LEAST_USEFUL_FIRST);
      surplus.addAll(pods.subList(0, pods.size() - 1));
    }
    return surplus;
  }

  private static Manning creations(SeenPods seen, int missing, JobBackOff backOff, Instant now) {
    boolean perIndex = seen.failedIndexes != null;
    if (!perIndex && backOff.due().isAfter(now)) {
      return waiting(List.of(), backOff.due(), now);
    }
    if (!seen.spec.indexed()) {
      var pods = new ArrayList<JobPlan.NewPod>();
      for (int i = 0; i < Math.min(missing, BATCH); i++) {
        pods.add(JobPlan.NewPod.ANY);
      }
      return new Manning(List.of(), pods, Instant.MAX);
    }
    return indexedCreations(seen, missing, now);
  }

  /** The lowest free indexes (JB-55); with a limit per index each waits for itself (JB-81). */
  private static Manning indexedCreations(SeenPods seen, int missing, Instant now) {
    Set<Integer> taken = new HashSet<>();
    for (var pod : seen.pods) {
      boolean holds =
          pod.active() || (pod.leaving() && seen.spec.replace() == JobSpec.Replace.FAILED);
      if (holds && pod.index().isPresent()) {
        taken.add(pod.index().getAsInt());
      }
    }
    var pods = new ArrayList<JobPlan.NewPod>();
    var wakeUp = Instant.MAX;
    int places = Math.min(missing, BATCH); // one that waits holds its place
    for (int index = 0; index < seen.limit() && places > 0; index++) {
      if (taken.contains(index) || ended(seen, index)) {
        continue;
      }
      places--;
      var carrier = seen.carriers.get(index);
      if (carrier == null) {
        pods.add(new JobPlan.NewPod(index, 0, 0));
        continue;
      }
      int failures = carrier.failureCount() + carrier.ignoredFailureCount() + 1;
      var due = carrier.finishedAt().plus(JobBackOff.delay(failures));
      if (due.isAfter(now)) {
        wakeUp = due.isBefore(wakeUp) ? due : wakeUp;
        continue;
      }
      boolean ignored = seen.action(carrier) == FailurePolicy.Action.IGNORE;
      pods.add(
          new JobPlan.NewPod(
              index,
              carrier.failureCount() + (ignored ? 0 : 1),
              carrier.ignoredFailureCount() + (ignored ? 1 : 0)));
    }
    return wakeUp.equals(Instant.MAX)
        ? new Manning(List.of(), pods, wakeUp)
        : waiting(pods, wakeUp, now);
  }

  private static boolean ended(SeenPods seen, int index) {
    return seen.succeededIndexes.contains(index)
        || (seen.failedIndexes != null && seen.failedIndexes.contains(index));
  }

  /** JB-83: look again when the delay is over, at least a second from now. */
  private static Manning waiting(List<JobPlan.NewPod> pods, Instant due, Instant now) {
    var soonest = now.plus(SHORTEST_WAIT);
    return new Manning(List.of(), pods, due.isBefore(soonest) ? soonest : due);
  }

  private static Instant readySince(JobPod pod) {
    if (!pod.ready()) {
      return Instant.MIN;
    }
    return pod.readyAt() == null ? Instant.MAX : pod.readyAt(); // unknown: for no time at all
  }
}
