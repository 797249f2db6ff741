package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.ContainerSpec.Hook;
import dev.regroup.rules.pod.Effect.BeginStop;
import dev.regroup.rules.pod.Effect.Signal;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.SeenContainer.StopProgress;
import dev.regroup.rules.pod.StopReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The next step of stopping containers (TERM-03 to TERM-05): event, hook, turn, signal. Asked again
 * on every look, so that a shorter grace, an ended hook or the end of the container before shows at
 * once; a step that is under way is not repeated.
 */
public final class DueStops {
  /** The smallest timeout ever passed to the runtime: 2 s. */
  public static final Duration MINIMUM = Duration.ofSeconds(2);

  /** Grace is counted in whole seconds, so a kill may lie this much behind the end of it: 1 s. */
  private static final Duration ROUNDING = Duration.ofSeconds(1);

  /** Whether a container may be signalled yet. */
  enum Turn {
    NOW,
    /** A sidecar: containers that need it still run (TERM-05). */
    LATER
  }

  private final View view;
  private final Draft draft;

  DueStops(View view, Draft draft) {
    this.view = view;
    this.draft = draft;
  }

  /** Stops one container that has no order to keep, with hook and grace (probes, image, hooks). */
  void one(ContainerSpec spec, SeenContainer record, StopReason why, Duration grace) {
    step(spec, record, why, begun(record), grace, Turn.NOW);
  }

  /** Stops what is up of these containers, with hooks, in the order of TERM-05. */
  void inOrder(List<ContainerSpec> containers, StopReason why, Instant begun, Duration grace) {
    for (var spec : containers) {
      for (var record : view.records(spec)) {
        if (View.isUp(record)) {
          step(spec, record, why, begun, grace, turn(spec));
        }
      }
    }
  }

  /** When this stop began: the grace runs from there, also across a restart of the node. */
  Instant begun(SeenContainer record) {
    var since = record.stop().since();
    return since.equals(StopProgress.NONE.since()) ? view.now : since;
  }

  /** A sidecar waits for all regular containers and for the sidecars listed after it. */
  private Turn turn(ContainerSpec spec) {
    if (spec.kind() != ContainerKind.SIDECAR) {
      return Turn.NOW;
    }
    boolean behind = false;
    for (var other : view.spec.containers()) {
      boolean needs =
          other.kind() == ContainerKind.REGULAR
              || (other.kind() == ContainerKind.SIDECAR && behind);
      if (needs && view.records(other).stream().anyMatch(View::isUp)) {
        return Turn.LATER;
      }
      behind |= other.name().equals(spec.name());
    }
    return Turn.NOW;
  }

  private void step(
      ContainerSpec spec,
      SeenContainer record,
      StopReason why,
      Instant begun,
      Duration grace,
      Turn turn) {
    var end = begun.plus(grace);
    boolean over = !view.now.isBefore(end);
    boolean mayGo = over || turn == Turn.NOW;
    switch (record.stop().step()) {
      case NONE -> {
        if (record.stopReason() == StopReason.NONE) {
          draft.emit(Events.killing(view, spec, why));
        }
        boolean hook = !over && record.isRunning() && spec.has(Hook.PRE_STOP);
        if (hook || !mayGo) {
          var preStop = hook ? BeginStop.PreStop.RUN : BeginStop.PreStop.SKIP;
          draft.add(new BeginStop(record.id(), spec.name(), why, preStop, end));
          draft.wakeAt(end);
        } else {
          signal(spec, record, why, begun, grace);
        }
      }
      case PRE_STOP -> {
        if (over) {
          signal(spec, record, why, begun, grace); // the hook is abandoned (TERM-04)
        } else {
          draft.wakeAt(end);
        }
      }
      case BEGUN -> {
        if (mayGo) {
          signal(spec, record, why, begun, grace);
        } else {
          draft.wakeAt(end);
        }
      }
      case SIGNALLED -> {
        var latest = view.now.plus(timeout(why, begun, grace)).plus(ROUNDING);
        if (record.stop().killAt().isAfter(latest)) {
          signal(spec, record, why, begun, grace); // the grace was shortened (TERM-02)
        }
      }
    }
  }

  private void signal(
      ContainerSpec spec, SeenContainer record, StopReason why, Instant begun, Duration grace) {
    draft.add(new Signal(record.id(), spec.name(), why, timeout(why, begun, grace)));
  }

  /**
   * What is left of the grace, in whole seconds, never less than the minimum (TERM-03, TERM-04);
   * the victims of a restart of all containers have a minimum of their own (JS-169).
   */
  private Duration timeout(StopReason why, Instant begun, Duration grace) {
    long elapsed = Math.max(0, Duration.between(begun, view.now).toSeconds());
    var left = grace.minusSeconds(elapsed);
    var minimum = why == StopReason.RESTART_ALL ? view.spec.restartGrace() : MINIMUM;
    return left.compareTo(minimum) < 0 ? minimum : left;
  }
}
