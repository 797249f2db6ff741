package dev.regroup.control.pods;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.pod.GroupPodReader;
import dev.regroup.api.tree.Owner;
import dev.regroup.api.tree.Read;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.job.JobPod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the slim view of a pod from its tree. */
public final class PodReader {

  public static final String TRACKING = "batch.kubernetes.io/job-tracking";
  public static final String COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
  public static final String FAILURE_COUNT = "batch.kubernetes.io/job-index-failure-count";
  public static final String IGNORED_COUNT = "batch.kubernetes.io/job-index-ignored-failure-count";

  private final GroupPodReader groups;

  /** Exits are judged under these gates, those of the nodes. */
  public PodReader(Set<RuleGate> gates) {
    this.groups = new GroupPodReader(gates);
  }

  public ControlledPod read(ObjectNode pod) {
    var finalizers = Read.list(pod, "metadata", "finalizers");
    boolean tracked = finalizers.remove(TRACKING);
    return new ControlledPod(
        Owner.controller(pod),
        Read.texts(pod, "metadata", "labels"),
        finalizers,
        Read.text(pod, "spec", "nodeName"),
        job(pod, tracked),
        groups.read(pod));
  }

  private static JobPod job(ObjectNode pod, boolean tracked) {
    var metadata = pod.path("metadata");
    var annotations = Read.texts(metadata, "annotations");
    var status = pod.path("status");
    var ready = condition(status, "Ready");
    boolean isReady = ready != null && Read.text(ready, "status").equals("True");
    var created = Read.time(metadata, "creationTimestamp");
    var createdAt = created == null ? Instant.EPOCH : created;
    return new JobPod(
        Read.text(metadata, "uid"),
        Read.text(metadata, "name"),
        Read.decimal(annotations.get(COMPLETION_INDEX)),
        phase(Read.text(status, "phase")),
        metadata.hasNonNull("deletionTimestamp"),
        tracked,
        isReady,
        ready == null ? null : Read.time(ready, "lastTransitionTime"),
        !Read.text(pod, "spec", "nodeName").isEmpty(),
        restarts(status.path("containerStatuses")) + restarts(status.path("initContainerStatuses")),
        createdAt,
        finishedAt(pod, ready, createdAt),
        containers(status),
        conditions(status),
        Read.decimal(annotations.get(FAILURE_COUNT)).orElse(0),
        Read.decimal(annotations.get(IGNORED_COUNT)).orElse(0),
        workerStarted(status));
  }

  private static @Nullable JsonNode condition(JsonNode status, String type) {
    for (var condition : status.path("conditions")) {
      if (Read.text(condition, "type").equals(type)) {
        return condition;
      }
    }
    return null;
  }

  private static JobPod.Phase phase(String text) {
    return switch (text) {
      case "Succeeded" -> JobPod.Phase.SUCCEEDED;
      case "Failed" -> JobPod.Phase.FAILED;
      case "Running" -> JobPod.Phase.RUNNING;
      case "Unknown" -> JobPod.Phase.UNKNOWN;
      default -> JobPod.Phase.PENDING;
    };
  }

  private static int restarts(JsonNode statuses) {
    int sum = 0;
    for (var status : statuses) {
      sum += Read.number(0, status, "restartCount");
    }
    return sum;
  }

  /** JB-82. */
  private static Instant finishedAt(ObjectNode pod, @Nullable JsonNode ready, Instant createdAt) {
    Instant latest = null;
    boolean all = true;
    var statuses = lasting(pod);
    for (var status : statuses) {
      var at = Read.time(status, "state", "terminated", "finishedAt");
      all &= status.path("state").has("terminated");
      latest = at != null && (latest == null || at.isAfter(latest)) ? at : latest;
    }
    if (all && !statuses.isEmpty() && latest != null) {
      return latest;
    }
    if (ready != null && Read.text(ready, "status").equals("False")) {
      var at = Read.time(ready, "lastTransitionTime");
      if (at != null) {
        return at;
      }
    }
    var deletion = deletedAt(pod);
    return deletion == null ? createdAt : deletion;
  }

  /** When the deletion was asked for; null when it was not. */
  private static @Nullable Instant deletedAt(ObjectNode pod) {
    var deletion = Read.time(pod, "metadata", "deletionTimestamp");
    int grace = Read.number(0, pod, "metadata", "deletionGracePeriodSeconds");
    return deletion == null ? null : deletion.minus(Duration.ofSeconds(grace));
  }

  /** App containers and sidecars: a sidecar ends last. */
  private static List<JsonNode> lasting(ObjectNode pod) {
    var statuses = new ArrayList<JsonNode>();
    pod.path("status").path("containerStatuses").forEach(statuses::add);
    var sidecars = new HashSet<String>();
    for (var container : pod.path("spec").path("initContainers")) {
      if (Read.text(container, "restartPolicy").equals("Always")) {
        sidecars.add(Read.text(container, "name"));
      }
    }
    for (var status : pod.path("status").path("initContainerStatuses")) {
      if (sidecars.contains(Read.text(status, "name"))) {
        statuses.add(status);
      }
    }
    return statuses;
  }

  /** App containers first, then init containers (JB-71). */
  private static List<JobPod.Container> containers(JsonNode status) {
    var all = new ArrayList<JobPod.Container>();
    for (var list : List.of("containerStatuses", "initContainerStatuses")) {
      for (var one : status.path(list)) {
        OptionalInt code = Read.number(one, "state", "terminated", "exitCode");
        all.add(new JobPod.Container(Read.text(one, "name"), code));
      }
    }
    return all;
  }

  private static List<JobPod.Condition> conditions(JsonNode status) {
    var all = new ArrayList<JobPod.Condition>();
    for (var one : status.path("conditions")) {
      all.add(new JobPod.Condition(Read.text(one, "type"), Read.text(one, "status")));
    }
    return all;
  }

  private static boolean workerStarted(JsonNode status) {
    for (var one : status.path("containerStatuses")) {
      boolean runs = one.path("state").has("running");
      boolean ran = Read.time(one, "state", "terminated", "startedAt") != null;
      boolean before = one.path("lastState").has("terminated");
      if (runs || ran || before) {
        return true;
      }
    }
    return false;
  }
}
