package dev.regroup.rules.pod.plan;

import dev.regroup.rules.RestartNote;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.PodEvent;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.RestartCycle.Cause;
import dev.regroup.rules.pod.StopReason;
import java.time.Duration;
import java.time.Instant;

/** Texts of events and messages (node.md section 8, CND-11, OBS-10, OBS-11). */
final class Events {
  private Events() {}

  static PodEvent killing(View view, ContainerSpec spec, StopReason why) {
    return about(spec, PodEvent.Type.NORMAL, "Killing", killingText(view, spec, why));
  }

  private static String killingText(View view, ContainerSpec spec, StopReason why) {
    var name = spec.name();
    return switch (why) {
      case NONE, POD_END, SANDBOX_LOST, SUPERSEDED -> "Stopping container " + name;
      case RESTART_ALL -> "Stopping container " + name + ": restart of all containers";
      case REQUESTED -> "Stopping container " + name + ": restart requested";
      case POST_START_FAILED -> "FailedPostStartHook";
      case LIVENESS_FAILED -> probeText(view, spec, ProbeKind.LIVENESS);
      case STARTUP_FAILED -> probeText(view, spec, ProbeKind.STARTUP);
      case DEFINITION_CHANGED ->
          spec.kind() == ContainerKind.SIDECAR
              ? "Init container " + name + " definition changed"
              : "Container " + name + " definition changed, will be restarted";
    };
  }

  private static String probeText(View view, ContainerSpec spec, ProbeKind probe) {
    var failed = "ontainer " + spec.name() + " failed " + probe.word() + " probe";
    if (spec.kind() == ContainerKind.SIDECAR) {
      return "Init c" + failed;
    }
    boolean again =
        Verdict.policyOf(view.settings.gates(), view.spec.restartPolicy(), spec)
            != RestartPolicy.NEVER;
    if (again) {
      return "C" + failed + ", will be restarted";
    }
    // A kill that leaves nothing to keep reads like the end of the pod (SEQ-20 step 6).
    boolean alone =
        view.regular.stream()
            .filter(c -> !c.name().equals(spec.name()))
            .noneMatch(c -> view.newest(c).filter(View::isUp).isPresent());
    return alone ? "Stopping container " + spec.name() : "C" + failed;
  }

  static PodEvent postStartFailed(ContainerSpec spec) {
    return about(spec, PodEvent.Type.WARNING, "FailedPostStartHook", "PostStartHook failed");
  }

  static PodEvent backOff(PodSpec pod, ContainerSpec spec) {
    return about(
        spec,
        PodEvent.Type.WARNING,
        "BackOff",
        "Back-off restarting failed container " + spec.name() + " in pod " + pod.id());
  }

  static String backOffText(PodSpec pod, ContainerSpec spec, Duration delay) {
    return "back-off %s restarting failed container=%s pod=%s"
        .formatted(ContainerBackOff.text(delay), spec.name(), pod.id());
  }

  static PodEvent podBackOff(PodSpec pod) {
    return ofPod(
        PodEvent.Type.WARNING, "BackOff", "Back-off restarting all containers in pod " + pod.id());
  }

  static String podBackOffText(PodSpec pod, Duration delay) {
    return "back-off %s restarting all containers pod=%s"
        .formatted(ContainerBackOff.text(delay), pod.id());
  }

  static PodEvent restartingAll(Cause cause) {
    return ofPod(PodEvent.Type.NORMAL, "RestartingAllContainers", why(cause));
  }

  static PodEvent allRestarted(Instant begun, Instant now) {
    var took = Duration.between(begun, now);
    return ofPod(
        PodEvent.Type.NORMAL,
        "AllContainersRestarted",
        "All containers restarted in %d.%03ds".formatted(took.toSeconds(), took.toMillisPart()));
  }

  static PodEvent requestIgnored(String id, String why) {
    return ofPod(PodEvent.Type.WARNING, "RestartRequestIgnored", "request " + id + ": " + why);
  }

  static PodEvent sandboxChanged() {
    return ofPod(
        PodEvent.Type.NORMAL,
        "SandboxChanged",
        "Pod sandbox changed, it will be killed and re-created.");
  }

  static PodEvent ofPod(PodEvent.Type type, String reason, String message) {
    return new PodEvent(type, reason, message, "");
  }

  /** Message of the condition while a cycle runs (CND-11). */
  static String why(Cause cause) {
    return note(cause).text();
  }

  private static RestartNote note(Cause cause) {
    return switch (cause) {
      case Cause.None() -> new RestartNote.Other();
      case Cause.Exited(var sources) -> {
        var first = sources.getFirst();
        yield new RestartNote.Exited(first.container(), first.exitCode(), sources.size() - 1);
      }
      case Cause.GroupOrder(int from, int to) -> new RestartNote.Ordered(from, to);
      case Cause.Requested(String id, String reason) -> new RestartNote.Asked(id, reason);
    };
  }

  private static PodEvent about(
      ContainerSpec spec, PodEvent.Type type, String reason, String message) {
    var list =
        switch (spec.kind()) {
          case INIT, SIDECAR -> "spec.initContainers";
          case REGULAR -> "spec.containers";
          case EPHEMERAL -> "spec.ephemeralContainers";
        };
    return new PodEvent(type, reason, message, list + "{" + spec.name() + "}");
  }
}
