package dev.regroup.api.pod;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a status as the kubelet writes it: field for field what clients of Kubernetes expect,
 * without fields that have nothing to say.
 */
public final class StatusWriter {

  /** Images are not unpacked yet: containers see the host's programs. */
  private static final String IMAGE_ID = "regroup://host";

  private static final String NEVER_STARTED = "StartError";

  private StatusWriter() {}

  public static ObjectNode write(Pod pod, PodStatus status, NodeAddition placement) {
    return write(pod, pod.getMetadata().getGeneration(), status, placement);
  }

  /**
   * The status.
   *
   * @param generation of the spec that it is about
   */
  public static ObjectNode write(
      Pod pod, @Nullable Long generation, PodStatus status, NodeAddition placement) {
    var wire = Wire.object();
    if (generation != null && generation > 0) {
      wire.put("observedGeneration", generation);
    }
    wire.put("phase", status.phase().wireName());
    text(wire, "reason", status.reason());
    text(wire, "message", status.message());
    wire.put("startTime", time(placement.startTime()));
    wire.put("qosClass", QosClass.of(pod).wireName());
    if (status.message().startsWith(Observed.ForcedEnd.REJECTED)) {
      return wire; // nothing of it was ever here
    }
    conditions(wire.putArray("conditions"), status, generation);
    addresses(wire, placement);
    containers(wire, pod, status);
    var allocated = ContainerFields.podRequests(pod);
    if (!allocated.isEmpty()) {
      wire.set("allocatedResources", allocated);
    }
    return wire;
  }

  private static void conditions(ArrayNode wire, PodStatus status, @Nullable Long generation) {
    for (var condition : status.conditions()) {
      var entry = wire.addObject();
      entry.put("type", condition.type().wireName());
      entry.put("status", condition.status().wireName());
      entry.put("lastTransitionTime", time(condition.lastTransition()));
      text(entry, "reason", condition.reason());
      text(entry, "message", condition.message());
      if (generation != null && observesGeneration(condition.type())) {
        entry.put("observedGeneration", generation);
      }
    }
  }

  private static boolean observesGeneration(PodCondition.Type type) {
    return switch (type) {
      case POD_READY_TO_START_CONTAINERS, INITIALIZED, READY, CONTAINERS_READY, POD_SCHEDULED ->
          true;
      case ALL_CONTAINERS_RESTARTING, POD_RESTART_IN_PLACE -> false; // CND-10
    };
  }

  private static void addresses(ObjectNode wire, NodeAddition placement) {
    if (!placement.hostIp().isEmpty()) {
      wire.put("hostIP", placement.hostIp());
      wire.putArray("hostIPs").addObject().put("ip", placement.hostIp());
    }
    if (!placement.podIp().isEmpty()) {
      wire.put("podIP", placement.podIp());
      wire.putArray("podIPs").addObject().put("ip", placement.podIp());
    }
  }

  /** Init entries in spec order, the others by name (STS-20); the plan has them in that order. */
  private static void containers(ObjectNode wire, Pod pod, PodStatus status) {
    var fields = new ContainerFields(pod);
    for (var container : status.containers()) {
      switch (container.kind()) {
        case INIT, SIDECAR ->
            wire.withArray("initContainerStatuses").add(container(container, fields));
        case REGULAR -> wire.withArray("containerStatuses").add(container(container, fields));
        case EPHEMERAL ->
            wire.withArray("ephemeralContainerStatuses").add(container(container, fields));
      }
    }
  }

  private static ObjectNode container(ContainerStatus status, ContainerFields fields) {
    var wire = Wire.object();
    wire.put("name", status.name());
    for (var entry : List.of("state", "lastState")) {
      var state = wire.putObject(entry);
      state(state, entry.equals("state") ? status.state() : status.lastState());
      Trees.object(state, "terminated").ifPresent(ended -> shorten(ended, fields.longestMessage()));
    }
    wire.put("ready", status.ready());
    wire.put("restartCount", status.restartCount());
    wire.put("image", status.image());
    boolean known = !status.containerId().value().isEmpty();
    wire.put("imageID", known ? IMAGE_ID : "");
    if (known) {
      wire.put("containerID", ContainerIds.wire(status.containerId()));
    }
    if (status.kind() != ContainerKind.EPHEMERAL) {
      wire.put("started", status.started());
    }
    fields.add(wire, status.name(), known);
    return wire;
  }

  /** What the containers of a pod say when they end has one limit for all of them. */
  private static void shorten(ObjectNode ended, int bytes) {
    var message = ended.path("message").asText("").getBytes(UTF_8);
    if (message.length > bytes) {
      ended.put("message", new String(message, 0, bytes, UTF_8));
    }
  }

  static void state(ObjectNode wire, ContainerState state) {
    switch (state) {
      case ContainerState.None() -> {}
      case ContainerState.Waiting(var reason, var message) -> {
        var waiting = wire.putObject("waiting");
        text(waiting, "reason", reason);
        text(waiting, "message", message);
      }
      case ContainerState.Running(var startedAt) ->
          wire.putObject("running").put("startedAt", time(startedAt));
      case ContainerState.Terminated ended -> {
        var terminated = wire.putObject("terminated");
        terminated.put("exitCode", ended.exitCode());
        text(terminated, "reason", ended.reason());
        text(terminated, "message", ended.message());
        if (ended.reason().equals(NEVER_STARTED)) {
          terminated.put("startedAt", time(Instant.EPOCH)); // as runtimes say it
        } else {
          time(terminated, "startedAt", ended.startedAt());
        }
        time(terminated, "finishedAt", ended.finishedAt());
        if (!ended.containerId().value().isEmpty()) {
          terminated.put("containerID", ContainerIds.wire(ended.containerId()));
        }
      }
    }
  }

  private static void text(ObjectNode wire, String field, String text) {
    if (!text.isEmpty()) {
      wire.put(field, text);
    }
  }

  private static void time(ObjectNode wire, String field, Instant at) {
    if (at.isAfter(Instant.EPOCH)) {
      wire.put(field, time(at));
    } else {
      wire.putNull(field); // unknown
    }
  }

  static String time(Instant at) {
    return at.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
