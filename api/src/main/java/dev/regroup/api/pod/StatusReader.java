package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodStatus;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Reads a status back after a restart of the node. What others may have written into it only ever
 * counts for restart counts, last states and stickiness (RAC-09).
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
      for (var entry : status.path(list)) {
        var kind = kinds.get(entry.path("name").asText());
        if (kind != null) {
          containers.add(container(entry, kind));
        }
      }
    }
    return new PodStatus(
        phase(status.path("phase").asText("")),
        status.path("reason").asText(""),
        status.path("message").asText(""),
        conditions(status.path("conditions")),
        containers,
        attempt(annotations));
  }

  /** Types of the conditions that are True, whoever wrote them (readiness gates, STS-31). */
  public static Set<String> trueConditions(JsonNode status) {
    var types = new HashSet<String>();
    for (var condition : status.path("conditions")) {
      if (condition.path("status").asText().equals("True")) {
        types.add(condition.path("type").asText());
      }
    }
    return types;
  }

  private static Phase phase(String name) {
    for (var phase : Phase.values()) {
      if (phase.wireName().equals(name)) {
        return phase;
      }
    }
    return Phase.PENDING;
  }

  private static List<PodCondition> conditions(JsonNode wire) {
    var types = new HashMap<String, PodCondition.Type>();
    for (var type : PodCondition.Type.values()) {
      types.put(type.wireName(), type);
    }
    var conditions = new ArrayList<PodCondition>();
    for (var entry : wire) {
      var type = types.get(entry.path("type").asText());
      if (type == null) {
        continue; // not the node's (STS-34)
      }
      boolean yes = entry.path("status").asText().equals("True");
      conditions.add(
          new PodCondition(
              type,
              yes ? PodCondition.Status.TRUE : PodCondition.Status.FALSE,
              entry.path("reason").asText(""),
              entry.path("message").asText(""),
              time(entry.path("lastTransitionTime"))));
    }
    return conditions;
  }

  private static ContainerStatus container(JsonNode entry, ContainerKind kind) {
    return new ContainerStatus(
        entry.path("name").asText(),
        kind,
        state(entry.path("state")),
        state(entry.path("lastState")),
        entry.path("restartCount").asInt(0),
        entry.path("ready").asBoolean(false),
        entry.path("started").asBoolean(false),
        id(entry.path("containerID")),
        entry.path("image").asText(""));
  }

  private static ContainerState state(JsonNode wire) {
    if (wire.has("running")) {
      return new ContainerState.Running(time(wire.path("running").path("startedAt")));
    }
    if (wire.has("terminated")) {
      var ended = wire.path("terminated");
      return new ContainerState.Terminated(
          ended.path("exitCode").asInt(0),
          ended.path("reason").asText(""),
          ended.path("message").asText(""),
          time(ended.path("startedAt")),
          time(ended.path("finishedAt")),
          id(ended.path("containerID")));
    }
    if (wire.has("waiting")) {
      var waiting = wire.path("waiting");
      return new ContainerState.Waiting(
          waiting.path("reason").asText(""), waiting.path("message").asText(""));
    }
    return ContainerState.NONE;
  }

  private static ContainerId id(JsonNode wire) {
    var text = wire.asText("");
    return text.isEmpty() ? ContainerId.NONE : ContainerIds.read(text);
  }

  private static OptionalInt attempt(JsonNode annotations) {
    var text = annotations.path(JobSetKeys.IN_PLACE_RESTART_ATTEMPT).asText("");
    try {
      return text.isEmpty() ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(text));
    } catch (NumberFormatException e) {
      return OptionalInt.empty(); // corrupt: the node writes its own again (JS-38a)
    }
  }

  private static Instant time(JsonNode wire) {
    try {
      return wire.isTextual() ? Instant.parse(wire.asText()) : Instant.EPOCH;
    } catch (DateTimeParseException e) {
      return Instant.EPOCH; // unknown, as if it had not been written
    }
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
