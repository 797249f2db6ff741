package dev.regroup.cli.run;

import dev.regroup.api.tree.Owner;
import dev.regroup.rules.jobset.JobSetStatus;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.progress.Pace;
import dev.regroup.rules.progress.ProgressStep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Counts the restarts that happened, from what objects say of themselves: a group restart that
 * never got past its barrier is none, and what a group restart did to its containers is not counted
 * again. One thread at a time.
 */
final class RestartCounts {

  private static final int MOST_STEPS = 1_000; // of a pod

  private final Set<String> inPlaceSets = new HashSet<>(); // workloads that restart in place
  private final Set<String> lifted = new HashSet<>(); // uid and attempt of group restarts
  private final Map<String, Integer> recreations = new HashMap<>(); // by uid of the JobSet
  private final Map<String, Integer> jobs = new HashMap<>();
  private final Map<String, Map<String, Integer>> containers = new HashMap<>(); // by pod's uid
  private final Map<String, FollowedPod> pods = new LinkedHashMap<>(); // by uid, also when gone
  private final Map<String, List<ProgressStep>> steps = new HashMap<>(); // by uid, as told
  private final Map<String, Set<String>> failed = new HashMap<>(); // failed pods by their Job
  private final Map<String, Integer> replaced = new HashMap<>(); // by Job

  /** A JobSet that restarts in place. */
  void group(String key) {
    inPlaceSets.add(key);
  }

  void jobSet(String uid, JobSetStatus status) {
    for (var restart : status.group().restarts()) {
      if (restart.liftedAt() != null) {
        lifted.add(uid + "/" + restart.attempt());
      }
    }
    recreations.merge(uid, status.restarts(), Math::max);
    jobs.merge(uid, status.jobRestarts(), Math::max);
  }

  void pod(FollowedPod pod) {
    var counts = containers.get(pod.uid());
    if (counts == null) {
      counts = new HashMap<>();
      containers.put(pod.uid(), counts);
      replaces(pod);
    }
    pods.put(pod.uid(), pod);
    var step = pod.restarts().life().step();
    if (step != null) {
      told(steps.computeIfAbsent(pod.uid(), _ -> new ArrayList<>()), step);
    }
    for (var status : pod.status().containers()) {
      if (hasStarted(status.state())) {
        counts.merge(status.name(), status.restartCount(), Math::max);
      }
    }
    if (pod.status().phase() == Phase.FAILED) {
      failed.computeIfAbsent(job(pod), _ -> new HashSet<>()).add(pod.uid());
    }
  }

  /** A count also rises for a start that is to come, and for a container nobody can find. */
  private static boolean hasStarted(ContainerState state) {
    return switch (state) {
      case ContainerState.Running _ -> true;
      case ContainerState.Terminated end -> !end.reason().equals(SeenContainer.LOST_REASON);
      case ContainerState.Waiting _, ContainerState.None _ -> false;
    };
  }

  /** A Job's new pod takes the place of one that has failed, if one has no successor yet. */
  private void replaces(FollowedPod pod) {
    String job = job(pod);
    int without = failed.getOrDefault(job, Set.of()).size() - replaced.getOrDefault(job, 0);
    if (!job.isEmpty() && without > 0 && !inPlaceSets.contains(pod.workload())) {
      replaced.merge(job, 1, Integer::sum);
    }
  }

  private static String job(FollowedPod pod) {
    return pod.owner().map(Owner::uid).orElse("");
  }

  /** Whether a pod's restarts are those of its group. */
  boolean isInGroup(FollowedPod pod) {
    return inPlaceSets.contains(pod.workload());
  }

  /** The first step that a pod was seen to tell, -1 without one. */
  long firstStep(FollowedPod pod) {
    var told = steps.getOrDefault(pod.uid(), List.of());
    return told.isEmpty() ? -1 : told.getFirst().number();
  }

  /**
   * When a pod was at this step for the first time; empty if it was not seen to be. Pods tell their
   * steps every few seconds: in between it is reckoned.
   */
  Optional<Instant> reached(FollowedPod pod, long number) {
    ProgressStep before = null;
    for (var step : steps.getOrDefault(pod.uid(), List.of())) {
      if (step.number() >= number) {
        return Optional.of(before == null ? step.at() : Pace.at(before, step, number));
      }
      before = step;
    }
    return Optional.empty();
  }

  private static void told(List<ProgressStep> steps, ProgressStep step) {
    if (steps.isEmpty() || !steps.getLast().at().equals(step.at())) {
      steps.add(step);
    }
    if (steps.size() > MOST_STEPS) {
      steps.remove(1); // the first stays; what was long ago is behind every goal
    }
  }

  /** Every pod that was seen, as it was seen last. */
  Collection<FollowedPod> pods() {
    return pods.values();
  }

  /** Restarts in place that are counted, but of which nobody tells any more. */
  int forgotten(int toldOfGroups) {
    return lifted.size()
        - toldOfGroups
        + pods.values().stream()
            .filter(pod -> !isInGroup(pod))
            .mapToInt(pod -> pod.restarts().forgotten())
            .sum();
  }

  /**
   * All of them in words: {@code no restarts}, {@code 2 restarts}, {@code 2 restarts in place, 1
   * recreation}.
   */
  String words() {
    int inPlace = lifted.size();
    int alone = 0;
    for (var pod : pods.values()) {
      if (!isInGroup(pod)) {
        int all = pod.restarts().completed();
        inPlace += all;
        alone +=
            containers.getOrDefault(pod.uid(), Map.of()).values().stream()
                .mapToInt(times -> Math.max(0, times - all))
                .sum();
      }
    }
    var parts = new ArrayList<String>();
    add(parts, inPlace, "restart in place", "restarts in place");
    add(parts, sum(recreations), "recreation", "recreations");
    add(parts, sum(jobs), "job made anew", "jobs made anew");
    add(parts, sum(replaced), "pod replaced", "pods replaced");
    add(parts, alone, "container restart", "container restarts");
    if (parts.isEmpty()) {
      return "no restarts";
    }
    return parts.size() == 1 ? parts.getFirst().replace(" in place", "") : String.join(", ", parts);
  }

  private static int sum(Map<String, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  private static void add(List<String> parts, int number, String one, String many) {
    if (number > 0) {
      parts.add(number + " " + (number == 1 ? one : many));
    }
  }
}
