package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.SeenContainer.HookState;
import dev.regroup.rules.pod.SeenContainer.ProbeResult;
import dev.regroup.rules.pod.SeenContainer.StopProgress;
import dev.regroup.rules.pod.StopReason;
import java.time.Duration;
import java.util.ArrayList;

/**
 * Care for what runs: stops containers that failed a probe or a hook, whose definition changed, or
 * that a request names (SEQ-22); clears old records away.
 */
final class Upkeep {
  private final View view;
  private final Draft draft;

  Upkeep(View view, Draft draft) {
    this.view = view;
    this.draft = draft;
  }

  /** Kills come before starts within one plan (SEQ-21). */
  void stops() {
    var stops = new DueStops(view, draft);
    for (var spec : view.spec.containers()) {
      var records = view.records(spec);
      for (int index = 0; index < records.size(); index++) {
        var record = records.get(index);
        if (!View.isUp(record)) {
          continue;
        }
        var why = index == 0 ? reason(spec, record) : StopReason.SUPERSEDED;
        if (why == StopReason.NONE) {
          continue;
        }
        boolean begins =
            record.stopReason() == StopReason.NONE
                && record.stop().step() == StopProgress.Step.NONE;
        if (why == StopReason.POST_START_FAILED && begins) {
          draft.emit(Events.postStartFailed(spec));
        }
        stops.one(spec, record, why, grace(spec, why));
      }
    }
  }

  private StopReason reason(ContainerSpec spec, SeenContainer record) {
    if (record.stopReason() != StopReason.NONE) {
      return record.stopReason(); // decided before, perhaps by a node that crashed since
    }
    boolean longRunning =
        spec.kind() == ContainerKind.REGULAR || spec.kind() == ContainerKind.SIDECAR;
    if (!longRunning) {
      return StopReason.NONE; // never for init containers that already ran (DEC-49)
    }
    if (view.isSingleRestart(spec, record)) {
      return StopReason.REQUESTED;
    }
    if (!record.fingerprint().equals(spec.fingerprint())) {
      return StopReason.DEFINITION_CHANGED;
    }
    if (record.postStart() == HookState.FAILED) {
      return StopReason.POST_START_FAILED;
    }
    if (fails(spec, record, ProbeKind.STARTUP)) {
      return StopReason.STARTUP_FAILED;
    }
    return fails(spec, record, ProbeKind.LIVENESS) ? StopReason.LIVENESS_FAILED : StopReason.NONE;
  }

  private static boolean fails(ContainerSpec spec, SeenContainer record, ProbeKind probe) {
    return spec.has(probe) && record.probe(probe) == ProbeResult.FAILURE;
  }

  /** TERM-10: a probe may bring its own grace. */
  private Duration grace(ContainerSpec spec, StopReason why) {
    var pod = view.spec.terminationGrace();
    return switch (why) {
      case LIVENESS_FAILED -> spec.probes().getOrDefault(ProbeKind.LIVENESS, pod);
      case STARTUP_FAILED -> spec.probes().getOrDefault(ProbeKind.STARTUP, pod);
      case SANDBOX_LOST, SUPERSEDED, RESTART_ALL -> Duration.ZERO;
      case NONE, POD_END, POST_START_FAILED, DEFINITION_CHANGED, REQUESTED -> pod;
    };
  }

  /** Besides the newest record of each container one dead one is kept, for its last state. */
  void removeOldRecords() {
    var old = new ArrayList<ContainerId>();
    for (var spec : view.spec.containers()) {
      view.records(spec).stream()
          .skip(1)
          .filter(r -> !View.isUp(r))
          .skip(1)
          .forEach(r -> old.add(r.id()));
    }
    if (!old.isEmpty()) {
      draft.add(new Effect.Remove(old));
    }
  }
}
