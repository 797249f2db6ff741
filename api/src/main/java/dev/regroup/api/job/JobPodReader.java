package dev.regroup.api.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.pod.PodSpecs;
import dev.regroup.api.pod.StatusReader;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads a pod as its Job sees it. */
public final class JobPodReader {

  private JobPodReader() {}

  /**
   * Reads it.
   *
   * @param containers statuses of its containers ({@link StatusReader#containers}), which others
   *     want as well
   */
  public static JobPod read(ObjectNode pod, List<ContainerStatus> containers) {
    var metadata = pod.path("metadata");
    var annotations = metadata.path("annotations");
    var status = pod.path("status");
    var ready = StatusReader.condition(status, "Ready");
    var created = Trees.time(metadata, "creationTimestamp");
    var createdAt = created == null ? Instant.EPOCH : created;
    return new JobPod(
        Trees.text(metadata, "uid"),
        Trees.text(metadata, "name"),
        Trees.decimal(Trees.text(annotations, JobKeys.COMPLETION_INDEX)),
        phase(Trees.text(status, "phase")),
        Trees.has(metadata, "deletionTimestamp"),
        Trees.texts(metadata, "finalizers").contains(JobKeys.TRACKING),
        ready.map(StatusReader::isTrue).orElse(false),
        ready.map(one -> Trees.time(one, "lastTransitionTime")).orElse(null),
        !Trees.text(pod, "spec", "nodeName").isEmpty(),
        restarts(containers),
        createdAt,
        finishedAt(pod, containers, ready, createdAt),
        containers.stream().map(JobPodReader::container).toList(),
        conditions(status),
        Trees.decimal(Trees.text(annotations, JobKeys.FAILURE_COUNT)).orElse(0),
        Trees.decimal(Trees.text(annotations, JobKeys.IGNORED_COUNT)).orElse(0),
        containers.stream().anyMatch(JobPodReader::workerStarted));
  }

  private static JobPod.Restarts restarts(List<ContainerStatus> containers) {
    int sum = containers.stream().mapToInt(ContainerStatus::restartCount).sum();
    return new JobPod.Restarts(
        sum, most(containers, ContainerKind.REGULAR), most(containers, ContainerKind.SIDECAR));
  }

  private static int most(List<ContainerStatus> containers, ContainerKind kind) {
    return containers.stream()
        .filter(one -> one.kind() == kind)
        .mapToInt(ContainerStatus::restartCount)
        .max()
        .orElse(0);
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

  /** JB-82. */
  private static Instant finishedAt(
      ObjectNode pod,
      List<ContainerStatus> containers,
      Optional<ObjectNode> ready,
      Instant createdAt) {
    var ended = lastEnd(containers);
    if (ended.isPresent()) {
      return ended.get();
    }
    return ready
        .filter(one -> Trees.text(one, "status").equals("False"))
        .map(one -> Trees.time(one, "lastTransitionTime"))
        .or(() -> PodSpecs.deletedAt(pod))
        .orElse(createdAt);
  }

  /** The end of app containers and sidecars, once all have ended: a sidecar ends last. */
  private static Optional<Instant> lastEnd(List<ContainerStatus> containers) {
    var latest = Instant.EPOCH;
    for (var container : containers) {
      if (container.kind() == ContainerKind.INIT) {
        continue;
      }
      if (!(container.state() instanceof ContainerState.Terminated ended)) {
        return Optional.empty();
      }
      latest = ended.finishedAt().isAfter(latest) ? ended.finishedAt() : latest;
    }
    return latest.equals(Instant.EPOCH) ? Optional.empty() : Optional.of(latest);
  }

  private static JobPod.Container container(ContainerStatus status) {
    return new JobPod.Container(
        status.name(),
        status.state() instanceof ContainerState.Terminated ended
            ? OptionalInt.of(ended.exitCode())
            : OptionalInt.empty());
  }

  private static List<JobPod.Condition> conditions(JsonNode status) {
    return Trees.objects(status, "conditions").stream()
        .map(one -> new JobPod.Condition(Trees.text(one, "type"), Trees.text(one, "status")))
        .toList();
  }

  private static boolean workerStarted(ContainerStatus container) {
    return container.kind() == ContainerKind.REGULAR
        && (container.lastState() instanceof ContainerState.Terminated
            || switch (container.state()) {
              case ContainerState.Running _ -> true;
              case ContainerState.Terminated ended -> ended.startedAt().isAfter(Instant.EPOCH);
              case ContainerState.Waiting _, ContainerState.None _ -> false;
            });
  }
}
