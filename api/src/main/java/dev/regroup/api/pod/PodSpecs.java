package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.Observed.Deletion;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodSpec.BarrierRole;
import dev.regroup.rules.pod.ProbeKind;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Turns a pod of the wire into what decisions are made on. The pod was admitted before; one that
 * was not is read as far as it can be.
 */
public final class PodSpecs {

  private static final long DEFAULT_GRACE = 30; // seconds

  private PodSpecs() {}

  public static PodSpec of(JsonNode pod) {
    var metadata = pod.path("metadata");
    var spec = pod.path("spec");
    var grace = grace(Trees.number(spec, "terminationGracePeriodSeconds").orElse(DEFAULT_GRACE));
    var containers = new ArrayList<ContainerSpec>();
    for (var container : Trees.objects(spec, "initContainers")) {
      var kind = RestartFields.isSidecar(container) ? ContainerKind.SIDECAR : ContainerKind.INIT;
      containers.add(container(container, kind, grace));
    }
    for (var container : Trees.objects(spec, "containers")) {
      containers.add(container(container, ContainerKind.REGULAR, grace));
    }
    for (var container : Trees.objects(spec, "ephemeralContainers")) {
      var image = Trees.text(container, "image");
      containers.add(
          ContainerSpec.of(Trees.text(container, "name"), ContainerKind.EPHEMERAL)
              .withImage(image, image));
    }
    var deadline = Trees.number(spec, "activeDeadlineSeconds");
    var barrier = barrier(metadata);
    return new PodSpec(
        new PodSpec.PodId(
            Trees.text(metadata, "namespace"),
            Trees.text(metadata, "name"),
            Trees.text(metadata, "uid")),
        RestartFields.podPolicy(spec),
        containers,
        grace,
        deadline.isPresent() ? Duration.ofSeconds(deadline.getAsLong()) : PodSpec.NO_DEADLINE,
        Trees.objects(spec, "readinessGates").stream()
            .map(gate -> Trees.text(gate, "conditionType"))
            .toList(),
        barrier,
        barrier == BarrierRole.OTHER_AGENT
            ? AgentMarks.find(spec).map(agent -> Trees.text(agent, "name")).orElse("")
            : "",
        RestartGrace.of(Trees.map(metadata, "annotations")),
        PodSpec.Origin.API);
  }

  /**
   * The pod's deletion, if it was asked for (TERM-02).
   *
   * @param unsaid the grace when the deletion names none
   */
  public static Deletion deletion(JsonNode metadata, Duration unsaid) {
    var timestamp = Trees.time(metadata, "deletionTimestamp");
    if (timestamp == null) {
      return Deletion.NONE;
    }
    var seconds = Trees.integer(metadata, "deletionGracePeriodSeconds");
    var grace = seconds.isPresent() ? Duration.ofSeconds(seconds.getAsInt()) : unsaid;
    return new Deletion.Asked(timestamp.minus(grace), grace);
  }

  /** When the pod's deletion was asked for, if it was. */
  public static Optional<Instant> deletedAt(JsonNode pod) {
    return switch (deletion(pod.path("metadata"), Duration.ZERO)) {
      case Deletion.None() -> Optional.empty();
      case Deletion.Asked(Instant asked, _) -> Optional.of(asked);
    };
  }

  /** The JobSet this pod belongs to, if Regroup's node may have to play its agent (JS-165). */
  public static Optional<String> jobSet(Pod pod) {
    var labels = pod.getMetadata().getLabels();
    return labels == null
        ? Optional.empty()
        : Optional.ofNullable(labels.get(JobSetKeys.JOBSET_NAME));
  }

  private static BarrierRole barrier(JsonNode metadata) {
    if (!Trees.has(metadata, "labels", JobSetKeys.JOBSET_NAME)) {
      return BarrierRole.NONE;
    }
    var annotations = metadata.path("annotations");
    var kind = Trees.text(annotations, JobSetKeys.INJECT_AGENT);
    if (kind.equals("node")) {
      return BarrierRole.NODE_AGENT;
    }
    boolean reports =
        Trees.has(annotations, JobSetKeys.IN_PLACE_RESTART_ATTEMPT)
            || Trees.has(annotations, JobSetKeys.EPOCH);
    boolean participates = !Set.of("", "none", "false").contains(kind);
    return reports || participates ? BarrierRole.OTHER_AGENT : BarrierRole.NONE; // RAC-54
  }

  private static Duration grace(long seconds) {
    long bounded = Math.min(Integer.MAX_VALUE, seconds); // 68 years: more is not meant
    return Duration.ofSeconds(bounded < 0 ? 1 : bounded); // IMM-01: a negative one means 1
  }

  private static ContainerSpec container(JsonNode container, ContainerKind kind, Duration grace) {
    return new ContainerSpec(
        Trees.text(container, "name"),
        kind,
        RestartFields.ownPolicy(container),
        RestartFields.rules(container),
        Trees.text(container, "lifecycle", "onCompletion").equals("TerminatePod")
            ? ContainerSpec.OnCompletion.TERMINATE_POD // API-08
            : ContainerSpec.OnCompletion.NOTHING,
        Trees.text(container, "image"),
        Fingerprint.of(container),
        probes(container, grace),
        hooks(container));
  }

  private static Map<ProbeKind, Duration> probes(JsonNode container, Duration podGrace) {
    var probes = new EnumMap<ProbeKind, Duration>(ProbeKind.class);
    for (var kind : ProbeKind.values()) {
      var field =
          switch (kind) {
            case STARTUP -> "startupProbe";
            case LIVENESS -> "livenessProbe";
            case READINESS -> "readinessProbe";
          };
      if (Trees.has(container, field)) {
        var own = Trees.number(container, field, "terminationGracePeriodSeconds");
        probes.put(kind, own.isPresent() ? grace(own.getAsLong()) : podGrace);
      }
    }
    return probes;
  }

  private static Set<ContainerSpec.Hook> hooks(JsonNode container) {
    var hooks = EnumSet.noneOf(ContainerSpec.Hook.class);
    if (Trees.has(container, "lifecycle", "postStart")) {
      hooks.add(ContainerSpec.Hook.POST_START);
    }
    if (Trees.has(container, "lifecycle", "preStop")) {
      hooks.add(ContainerSpec.Hook.PRE_STOP);
    }
    return hooks;
  }
}
