package dev.regroup.node.worker;

import dev.regroup.node.pod.RestartObserver;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.CompletedRestart;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.RestartCycle;
import dev.regroup.rules.pod.RestartCycle.Cause;
import dev.regroup.rules.pod.RestartHistory;
import dev.regroup.rules.pod.plan.PodPlan;
import dev.regroup.rules.pod.plan.StartCause;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;

/**
 * Recognises the moments of a restart in what the worker does, tells the observer once each, and
 * keeps what the pod is to tell of its completed restarts.
 */
final class RestartMoments {

  private final PodSpec.PodId pod;
  private final RestartObserver observer;
  private final InstantSource clock;
  private final Map<Moment, Instant> reached = new EnumMap<>(Moment.class);
  private RestartCycle cycle = RestartCycle.FIRST;
  private RestartHistory history;

  /** With the history that a node before this one may have written. */
  RestartMoments(
      PodSpec.PodId pod, RestartHistory history, RestartObserver observer, InstantSource clock) {
    this.pod = pod;
    this.history = history;
    this.observer = observer;
    this.clock = clock;
  }

  /** A cycle record became durable. */
  void remembered(RestartCycle next) {
    var now = clock.instant();
    if (next.state() == RestartCycle.State.TERMINATING && !cycle.terminating()) {
      reached.clear();
      if (next.cause() instanceof Cause.Exited(var sources)) {
        reach(Moment.EXIT_SEEN, next.epoch() + 1, sources.getFirst().finishedAt());
      }
      reach(Moment.NOTICED, next.epoch() + 1, now);
    }
    if (cycle.terminating() && !next.terminating()) {
      reach(Moment.STOPPED, next.epoch(), now); // at the latest
      reach(Moment.REMOVED, next.epoch(), now);
    }
    if (next.attempt().isPresent() && !next.attempt().equals(cycle.attempt())) {
      reach(Moment.AT_BARRIER, next.epoch(), now);
    }
    cycle = next;
  }

  /** A plan was made: during a termination without stops everything is down. */
  void seen(PodPlan plan) {
    boolean removing = plan.effects().stream().anyMatch(Effect.Remove.class::isInstance);
    if (cycle.terminating() && removing) {
      reach(Moment.STOPPED, cycle.epoch() + 1, clock.instant());
    }
  }

  /** A container that has run before was started. */
  void startedAgain(StartCause cause) {
    observer.startedAgain(pod, cause, clock.instant());
  }

  /** A container was started: the first regular one means that nobody holds the pod back. */
  void started(Effect.Start start, PodSpec spec) {
    var now = clock.instant();
    var regular =
        spec.containers().stream().filter(c -> c.kind() == ContainerKind.REGULAR).toList();
    if (regular.stream().noneMatch(c -> c.name().equals(start.container()))) {
      return;
    }
    if (reached.containsKey(Moment.AT_BARRIER)) {
      reach(Moment.LIFTED, start.epoch(), now);
    }
    if (regular.getLast().name().equals(start.container())) {
      boolean first = !reached.containsKey(Moment.RUNNING);
      reach(Moment.RUNNING, start.epoch(), now);
      if (first && CompletedRestart.isComplete(reached)) {
        history = history.with(new CompletedRestart(start.epoch(), reached));
      }
    }
  }

  RestartHistory history() {
    return history;
  }

  void left() {
    observer.left(pod);
  }

  private void reach(Moment moment, int epoch, Instant at) {
    if (reached.putIfAbsent(moment, at) == null) {
      observer.reached(pod, epoch, moment, at);
    }
  }
}
