package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.ContainerState.Running;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.NodeSettings.PhaseDuringRestart;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.plan.Verdict.Result;
import java.util.List;

/**
 * Phase of a pod that lives (STS-01 to STS-05, STS-08). How a pod ends is {@link PodEnding}'s
 * business, so only Pending and Running come from here.
 */
final class Phases {
  private Phases() {}

  static Phase of(View view, List<ContainerStatus> statuses) {
    if (view.restarting() && view.settings.phaseDuringRestart() == PhaseDuringRestart.PENDING) {
      return Phase.PENDING; // until every regular container has been started again (RAC-38)
    }
    return ofContainers(view, statuses);
  }

  /** What the containers alone say. */
  static Phase ofContainers(View view, List<ContainerStatus> statuses) {
    var count = new Count();
    statuses.forEach(count::add);
    boolean sidecarPending = count.pendingSidecars > 0 && !view.initialized();
    if (count.pendingInit > 0 || sidecarPending || count.waiting > 0) {
      return Phase.PENDING;
    }
    return count.running > 0 || count.stopped > 0 ? Phase.RUNNING : Phase.PENDING;
  }

  private static final class Count {
    int pendingInit;
    int pendingSidecars;
    int running;
    int waiting;
    int stopped;

    void add(ContainerStatus status) {
      boolean ranBefore = status.lastState() instanceof Terminated;
      switch (status.kind()) {
        case INIT -> {
          boolean ended = status.state() instanceof Terminated;
          pendingInit += ended || (ranBefore && isWaiting(status)) ? 0 : 1;
        }
        case SIDECAR -> {
          if (status.state() instanceof Running) {
            running++;
            pendingSidecars += status.started() ? 0 : 1;
          } else if (isWaiting(status) && !ranBefore) {
            waiting++;
            pendingSidecars++;
          }
        }
        case REGULAR -> {
          if (status.state() instanceof Running) {
            running++;
          } else if (isWaiting(status) && !ranBefore) {
            waiting++;
          } else {
            stopped++;
          }
        }
        case EPHEMERAL -> {}
      }
    }

    private static boolean isWaiting(ContainerStatus status) {
      return status.state() instanceof Waiting;
    }
  }

  /** Whether this status counts as a success: exit 0, or completed by a rule (STS-08). */
  static boolean succeeded(View view, ContainerStatus status) {
    if (!(status.state() instanceof Terminated ended)) {
      return false;
    }
    var record =
        view.container(status.name())
            .flatMap(view::newest)
            .filter(r -> r.hasExited() && r.id().equals(ended.containerId()));
    return record.isPresent()
        ? succeeded(view, view.container(status.name()).orElseThrow(), record.get())
        : ended.exitCode() == 0 && !ended.reason().equals(ContainerStatuses.UNKNOWN);
  }

  static boolean succeeded(View view, ContainerSpec spec, SeenContainer record) {
    return switch (view.verdict(spec, record)) {
      case Verdict.Done(Result result) -> result == Result.SUCCEEDED;
      case Verdict.EndPod(_, Result result) -> result == Result.SUCCEEDED;
      // An init container that triggers or runs again is not done, whatever its code (RAC-62).
      case Verdict.RestartAll _, Verdict.Again _, Verdict.FailPod _ ->
          spec.kind() != ContainerKind.INIT && record.exitCode() == 0;
    };
  }
}
