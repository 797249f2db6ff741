package dev.regroup.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Counts the restarts that happened, from what objects say of themselves: a group restart that
 * never got past its barrier is none, and what a group restart did to its containers is not counted
 * again. One thread at a time.
 */
final class RestartCounts {

  private final Set<String> inPlaceSets = new HashSet<>(); // workloads that restart in place
  private final Set<String> lifted = new HashSet<>(); // uid and attempt of group restarts
  private final Map<String, Integer> recreations = new HashMap<>(); // by uid of the JobSet
  private final Map<String, Integer> jobs = new HashMap<>();
  private final Map<String, Map<String, Integer>> containers = new HashMap<>(); // by pod's uid
  private final Map<String, String> owners = new HashMap<>(); // workload of a pod's uid
  private final Map<String, Set<String>> failed = new HashMap<>(); // failed pods by their Job
  private final Map<String, Integer> replaced = new HashMap<>(); // by Job

  void jobSet(JsonNode jobSet) {
    String uid = jobSet.path("metadata").path("uid").asText();
    var status = jobSet.path("status");
    if (isInPlace(jobSet)) {
      inPlaceSets.add(Workload.key(jobSet));
    }
    for (JsonNode restart : status.path("inPlaceRestarts")) {
      if (restart.hasNonNull("liftedAt")) {
        lifted.add(uid + "/" + restart.path("attempt").asInt());
      }
    }
    recreations.merge(uid, status.path("restarts").asInt(0), Math::max);
    int restarted = 0;
    for (JsonNode job : status.path("replicatedJobsStatus")) {
      for (JsonNode times : job.path("jobRestarts")) {
        restarted += times.asInt();
      }
    }
    jobs.merge(uid, restarted, Math::max);
  }

  void pod(JsonNode pod) {
    String uid = pod.path("metadata").path("uid").asText();
    var counts = containers.get(uid);
    if (counts == null) {
      counts = new HashMap<>();
      containers.put(uid, counts);
      owners.put(uid, Workload.of(pod));
      replaces(pod);
    }
    for (String list : ContainerEnd.LISTS) {
      for (JsonNode status : pod.path("status").path(list)) {
        if (hasStarted(status.path("state"))) {
          counts.merge(
              status.path("name").asText(), status.path("restartCount").asInt(0), Math::max);
        }
      }
    }
    if (pod.path("status").path("phase").asText().equals("Failed")) {
      failed.computeIfAbsent(job(pod), _ -> new HashSet<>()).add(uid);
    }
  }

  /** A count also rises for a start that is to come, and for a container nobody can find. */
  private static boolean hasStarted(JsonNode state) {
    return state.has("running")
        || (state.has("terminated")
            && !state.path("terminated").path("reason").asText().equals("ContainerStatusUnknown"));
  }

  /** A Job's new pod takes the place of one that has failed, if one has no successor yet. */
  private void replaces(JsonNode pod) {
    String job = job(pod);
    int without = failed.getOrDefault(job, Set.of()).size() - replaced.getOrDefault(job, 0);
    if (!job.isEmpty() && without > 0 && !inPlaceSets.contains(Workload.of(pod))) {
      replaced.merge(job, 1, Integer::sum);
    }
  }

  private static String job(JsonNode pod) {
    for (JsonNode owner : pod.path("metadata").path("ownerReferences")) {
      if (owner.path("controller").asBoolean()) {
        return owner.path("uid").asText();
      }
    }
    return "";
  }

  static boolean isInPlace(JsonNode jobSet) {
    String strategy = jobSet.path("spec").path("failurePolicy").path("restartStrategy").asText("");
    return strategy.equals("InPlaceRestart");
  }

  /** Whether a pod's restarts are those of its group. */
  boolean isInGroup(String podUid) {
    return inPlaceSets.contains(owners.getOrDefault(podUid, ""));
  }

  /** The workload of a pod, and of a pod nobody has seen the pod itself. */
  String workload(String podUid) {
    return owners.getOrDefault(podUid, podUid);
  }

  /**
   * All of them in words: {@code no restarts}, {@code 2 restarts}, {@code 2 restarts in place, 1
   * recreation}.
   *
   * @param cycles restarts of all containers in place, by the uid of their pod
   */
  String words(Map<String, Integer> cycles) {
    int inPlace = lifted.size();
    int alone = 0;
    for (var pod : containers.entrySet()) {
      if (!isInGroup(pod.getKey())) {
        int all = cycles.getOrDefault(pod.getKey(), 0);
        inPlace += all;
        alone += pod.getValue().values().stream().mapToInt(times -> Math.max(0, times - all)).sum();
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
