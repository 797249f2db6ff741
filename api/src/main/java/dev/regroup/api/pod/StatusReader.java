package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.group.AttemptReport;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Reads a pod's status: the node after its own restart, which takes from it only restart counts,
 * last states and stickiness (RAC-09), and everybody who looks at the end of a container. Never
 * throws: what is not there, or not what it should be, is as if nobody had written it.
 */
public final class StatusReader {

  private static final List<String> LISTS =
      List.of("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses");

  private StatusReader() {}

  /**
   * Returns the status as decisions need it.
   *
   * @param spec tells the kind of each container
   * @param status the pod's {@code status}, missing for a pod nobody has written to
   * @param annotations the pod's {@code metadata.annotations}
   */
  public static PodStatus read(PodSpec spec, JsonNode status, JsonNode annotations) {
    var kinds = new HashMap<String, ContainerKind>();
    spec.containers().forEach(container -> kinds.put(container.name(), container.kind()));
    var containers = new ArrayList<ContainerStatus>();
    for (var list : LISTS) {
      for (var entry : Trees.objects(status, list)) {
        var kind = kinds.get(Trees.text(entry, "name"));
        if (kind != null) {
          containers.add(container(entry, kind));
        }
      }
    }
    return status(status, containers, annotations);
  }

  /** The status for those who only look: also of containers the pod's spec does not know. */
  public static PodStatus read(JsonNode pod) {
    var containers = initContainers(pod);
    containers.addAll(appContainers(pod));
    return status(pod.path("status"), containers, Trees.at(pod, "metadata", "annotations"));
  }

  private static PodStatus status(
      JsonNode status, List<ContainerStatus> containers, JsonNode annotations) {
    return new PodStatus(
        phase(Trees.text(status, "phase")),
        Trees.text(status, "reason"),
        Trees.text(status, "message"),
        conditions(status),
        containers,
        attempt(annotations));
  }

  /**
   * The statuses of a pod's containers, app containers first, then init containers; also of those
   * its spec does not know.
   */
  public static List<ContainerStatus> containers(JsonNode pod) {
    var all = appContainers(pod);
    all.addAll(initContainers(pod));
    return all;
  }

  private static List<ContainerStatus> appContainers(JsonNode pod) {
    var all = new ArrayList<ContainerStatus>();
    for (var entry : Trees.objects(pod, "status", "containerStatuses")) {
      all.add(container(entry, ContainerKind.REGULAR));
    }
    return all;
  }

  private static List<ContainerStatus> initContainers(JsonNode pod) {
    var sidecars = new HashSet<String>();
    for (var container : Trees.objects(pod, "spec", "initContainers")) {
      if (RestartFields.isSidecar(container)) {
        sidecars.add(Trees.text(container, "name"));
      }
    }
    var all = new ArrayList<ContainerStatus>();
    for (var entry : Trees.objects(pod, "status", "initContainerStatuses")) {
      boolean sidecar = sidecars.contains(Trees.text(entry, "name"));
      all.add(container(entry, sidecar ? ContainerKind.SIDECAR : ContainerKind.INIT));
    }
    return all;
  }

  /** The status of every condition by its type, whoever set it (readiness gates, STS-31). */
  public static Map<String, String> statuses(JsonNode status) {
    var all = new HashMap<String, String>();
    for (var condition : Trees.objects(status, "conditions")) {
      all.put(Trees.text(condition, "type"), Trees.text(condition, "status"));
    }
    return all;
  }

  /** The condition of this type. */
  public static Optional<ObjectNode> condition(JsonNode status, String type) {
    if (status.path("conditions") instanceof ArrayNode conditions) {
      for (JsonNode one : conditions) {
        if (one instanceof ObjectNode condition && Trees.text(one, "type").equals(type)) {
          return Optional.of(condition);
        }
      }
    }
    return Optional.empty();
  }

  /** Whether a condition has the status True. */
  public static boolean isTrue(JsonNode condition) {
    return Trees.text(condition, "status").equals("True");
  }

  /** One entry of a list of container statuses. */
  public static ContainerStatus container(ObjectNode entry, ContainerKind kind) {
    return new ContainerStatus(
        Trees.text(entry, "name"),
        kind,
        state(entry.path("state")),
        state(entry.path("lastState")),
        Trees.integer(entry, "restartCount").orElse(0),
        Trees.isTrue(entry, "ready"),
        Trees.isTrue(entry, "started"),
        id(entry),
        Trees.text(entry, "image"));
  }

  private static Phase phase(String name) {
    for (var phase : Phase.values()) {
      if (phase.wireName().equals(name)) {
        return phase;
      }
    }
    return Phase.PENDING;
  }

  private static List<PodCondition> conditions(JsonNode status) {
    var types = new HashMap<String, PodCondition.Type>();
    for (var type : PodCondition.Type.values()) {
      types.put(type.wireName(), type);
    }
    var conditions = new ArrayList<PodCondition>();
    for (var entry : Trees.objects(status, "conditions")) {
      var type = types.get(Trees.text(entry, "type"));
      if (type == null) {
        continue; // not the node's (STS-34)
      }
      conditions.add(
          new PodCondition(
              type,
              isTrue(entry) ? PodCondition.Status.TRUE : PodCondition.Status.FALSE,
              Trees.text(entry, "reason"),
              Trees.text(entry, "message"),
              time(entry, "lastTransitionTime")));
    }
    return conditions;
  }

  private static ContainerState state(JsonNode wire) {
    if (Trees.has(wire, "running")) {
      return new ContainerState.Running(time(wire, "running", "startedAt"));
    }
    if (Trees.has(wire, "terminated")) {
      var ended = wire.path("terminated");
      return new ContainerState.Terminated(
          Trees.integer(ended, "exitCode").orElse(0),
          Trees.text(ended, "reason"),
          Trees.text(ended, "message"),
          time(ended, "startedAt"),
          time(ended, "finishedAt"),
          id(ended));
    }
    if (Trees.has(wire, "waiting")) {
      var waiting = wire.path("waiting");
      return new ContainerState.Waiting(
          Trees.text(waiting, "reason"), Trees.text(waiting, "message"));
    }
    return ContainerState.NONE;
  }

  private static ContainerId id(JsonNode owner) {
    var text = Trees.text(owner, "containerID");
    return text.isEmpty() ? ContainerId.NONE : ContainerIds.read(text);
  }

  /** A corrupt one is none: the node writes its own again (JS-38a). */
  private static OptionalInt attempt(JsonNode annotations) {
    var text = Trees.textIfPresent(annotations, JobSetKeys.IN_PLACE_RESTART_ATTEMPT).orElse(null);
    return AttemptReport.read(text, null) instanceof AttemptReport.At(int attempt)
        ? OptionalInt.of(attempt)
        : OptionalInt.empty();
  }

  private static Instant time(JsonNode node, String... path) {
    var time = Trees.time(node, path);
    return time == null ? Instant.EPOCH : time;
  }

  /** Both annotations the node agent writes (JS-150, JS-165). */
  public static Map<String, String> attemptAnnotations(PodStatus status) {
    if (status.attempt().isEmpty()) {
      return Map.of();
    }
    int attempt = status.attempt().getAsInt();
    return Map.of(
        JobSetKeys.IN_PLACE_RESTART_ATTEMPT, String.valueOf(attempt),
        JobSetKeys.EPOCH, String.valueOf(attempt + 1));
  }
}
