package dev.regroup.rules.pod.plan;

import dev.regroup.rules.ExitDecision;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.RestartCycle;
import dev.regroup.rules.pod.SeenContainer;
import java.time.Instant;

/**
 * Why a container starts again (OBS-06), read off what the plan that starts it has seen. Decides
 * nothing: where it finds no ground for a start, the start is {@link #UNEXPECTED}, and of those
 * there must be none.
 */
public enum StartCause {
  POLICY("policy"),
  RULE("rule"),
  RESTART_ALL("restart_all"),
  PROBE("probe"),
  IMAGE_CHANGE("image_change"),
  SANDBOX("sandbox"),
  GROUP("group"),
  REQUEST("request"),
  UNEXPECTED("unexpected");

  private final String wireName;

  StartCause(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }

  /**
   * Of a start that is not the container's first.
   *
   * @param cycle the newest remembered, by the same plan or before
   */
  public static StartCause of(
      PodSpec spec, Observed seen, NodeSettings settings, RestartCycle cycle, String container) {
    var view = new View(spec, seen, settings, Instant.EPOCH); // nothing here asks for the time
    var known = cycle.equals(seen.cycle()) ? view : view.with(cycle);
    return view.container(container).map(one -> ofContainer(known, one)).orElse(UNEXPECTED);
  }

  private static StartCause ofContainer(View view, ContainerSpec container) {
    var ran =
        view.records(container).stream()
            .filter(r -> r.state() != SeenContainer.State.CREATED && view.inEpoch(container, r))
            .findFirst();
    if (ran.isPresent()) {
      return ofEnd(view, container, ran.get());
    }
    // Only a cycle and the loss of a sandbox remove what has run.
    return view.restarting() ? ofCycle(view.cycle) : SANDBOX;
  }

  private static StartCause ofEnd(View view, ContainerSpec container, SeenContainer ended) {
    if (view.isSingleRestart(container, ended)) {
      return REQUEST;
    }
    var sandbox = view.seen.sandbox();
    if (!sandbox.isReady() || !ended.sandbox().equals(sandbox.id())) {
      return SANDBOX;
    }
    return switch (ended.stopReason()) {
      case LIVENESS_FAILED, STARTUP_FAILED -> PROBE;
      case DEFINITION_CHANGED -> IMAGE_CHANGE;
      case REQUESTED -> REQUEST;
      case SANDBOX_LOST -> SANDBOX;
      case RESTART_ALL -> ofCycle(view.cycle);
      case NONE, POD_END, POST_START_FAILED, SUPERSEDED -> ofExit(view, container, ended);
    };
  }

  private static StartCause ofExit(View view, ContainerSpec container, SeenContainer ended) {
    return switch (view.decision(container, ended)) {
      case ExitDecision.Restart(ExitDecision.By by) -> by == ExitDecision.By.RULE ? RULE : POLICY;
      case ExitDecision.Stay(ExitDecision.By by) ->
          by == ExitDecision.By.POLICY && container.kind() == ContainerKind.SIDECAR
              ? POLICY // a sidecar's own (DEC-12)
              : UNEXPECTED;
      case ExitDecision.RestartAll _, ExitDecision.Complete _, ExitDecision.TerminatePod _ ->
          UNEXPECTED;
    };
  }

  private static StartCause ofCycle(RestartCycle cycle) {
    return switch (cycle.cause()) {
      case RestartCycle.Cause.Exited _ -> RESTART_ALL;
      case RestartCycle.Cause.GroupOrder _ -> GROUP;
      case RestartCycle.Cause.Requested _ -> REQUEST;
      case RestartCycle.Cause.None() -> RESTART_ALL; // its record was lost (RAC-07)
    };
  }
}
