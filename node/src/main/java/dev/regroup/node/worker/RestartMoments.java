package dev.regroup.node.worker;

import dev.regroup.node.pod.RestartObserver;
import dev.regroup.node.progress.PodProgram;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.CompletedRestart;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.RestartCycle;
import dev.regroup.rules.pod.RestartCycle.Cause;
import dev.regroup.rules.pod.RestartHistory;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.StopReason;
import dev.regroup.rules.pod.plan.PodPlan;
import dev.regroup.rules.pod.plan.StartCause;
import dev.regroup.rules.progress.ProgramBreak;
import dev.regroup.rules.progress.ProgramLife;
import dev.regroup.rules.progress.ProgramRun;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Recognises the moments of a restart in what the worker does, tells the observer once each, and
 * keeps what the pod is to tell of its completed restarts.
 */
final class RestartMoments {

  /** Nobody else ended it. */
  private static final Set<StopReason> FAILURES =
      Set.of(StopReason.NONE, StopReason.LIVENESS_FAILED, StopReason.STARTUP_FAILED);

  private final PodSpec.PodId pod;
  private final RestartObserver observer;
  private final InstantSource clock;
  private final Map<Moment, Instant> reached = new EnumMap<>(Moment.class);
  private final PodProgram program;
  private final Map<String, Instant> hanging = new HashMap<>(); // containers a probe gave up
  private RestartCycle cycle = RestartCycle.FIRST;
  private RestartHistory history;
  private final Set<String> signalled = new HashSet<>(); // since all are to restart
  private boolean heard; // a program of this cycle got the stop signal and time to act on it
  private @Nullable Instant failed; // a container of it, last
  private boolean open; // the program may add to the newest restart

  /** With the history that a node before this one may have written. */
  RestartMoments(
      PodSpec.PodId pod,
      RestartHistory history,
      PodProgram program,
      RestartObserver observer,
      InstantSource clock) {
    this.pod = pod;
    this.history = history;
    this.failed = history.life().failed();
    this.program = program;
    this.open =
        !history.newest().isEmpty()
            && !history.newest().getLast().moments().containsKey(Moment.FIRST_OUTPUT);
    this.observer = observer;
    this.clock = clock;
  }

  /** A cycle record became durable. */
  void remembered(RestartCycle next) {
    var now = clock.instant();
    if (next.state() == RestartCycle.State.TERMINATING && !cycle.terminating()) {
      history = history(); // what the old program showed is all now
      open = false;
      heard = false;
      signalled.clear();
      reached.clear();
      if (next.cause() instanceof Cause.Exited(var sources)) {
        hung(sources.getFirst().container(), next.epoch() + 1);
        reach(Moment.EXIT_SEEN, next.epoch() + 1, sources.getFirst().finishedAt());
      }
      reach(Moment.NOTICED, next.epoch() + 1, now);
    }
    if (cycle.terminating() && !next.terminating()) {
      program.ended();
      reach(Moment.STOPPED, next.epoch(), now); // at the latest
      reach(Moment.REMOVED, next.epoch(), now);
    }
    if (next.attempt().isPresent() && !next.attempt().equals(cycle.attempt())) {
      reach(Moment.AT_BARRIER, next.epoch(), now);
    }
    cycle = next;
  }

  /** A container is about to be stopped. */
  void stopping(String container, StopReason why) {
    if (why == StopReason.LIVENESS_FAILED || why == StopReason.STARTUP_FAILED) {
      hanging.putIfAbsent(container, clock.instant());
    }
  }

  /** A container is sent the stop signal, and killed after the timeout. */
  void signalled(Effect.Signal signal) {
    stopping(signal.container(), signal.why()); // not every stop is begun first
    if (signal.why() == StopReason.RESTART_ALL) {
      signalled.add(signal.container());
    }
  }

  /** If a probe gave this one up, its restart began when it showed itself last. */
  private void hung(String container, int epoch) {
    var found = hanging.remove(container);
    if (found != null) {
      program.lookNow();
      var sign = program.now().lastSign();
      if (sign != null && sign.isBefore(found)) {
        reach(Moment.LAST_SIGN, epoch, sign);
      }
      reach(Moment.FOUND_HANGING, epoch, found);
    }
  }

  /**
   * A plan was made: during a termination without stops everything is down.
   *
   * @param heardOf whether a container heard of its stop, as the runtime knows
   */
  void seen(PodPlan plan, Predicate<ContainerId> heardOf) {
    boolean removing = plan.effects().stream().anyMatch(Effect.Remove.class::isInstance);
    if (cycle.terminating() && removing) {
      reach(Moment.STOPPED, cycle.epoch() + 1, clock.instant());
      heard |=
          signalled.stream().anyMatch(one -> ended(plan.status(), one).filter(heardOf).isPresent());
    }
  }

  private static Optional<ContainerId> ended(PodStatus status, String container) {
    return status
        .container(container)
        .map(one -> one.state() instanceof Terminated ? one.state() : one.lastState())
        .filter(Terminated.class::isInstance)
        .map(Terminated.class::cast)
        .map(Terminated::containerId);
  }

  /** The containers were looked at: one that failed by itself tells when, the first of several. */
  void looked(List<SeenContainer> records) {
    var newest = new HashMap<String, SeenContainer>();
    records.forEach(one -> newest.merge(one.container(), one, (a, b) -> a.run() > b.run() ? a : b));
    newest.values().stream()
        .filter(one -> one.hasExited() && one.exitCode() != 0)
        .filter(one -> FAILURES.contains(one.stopReason()))
        .map(SeenContainer::finishedAt)
        .min(Comparator.naturalOrder())
        .ifPresent(at -> failed = at);
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
    hanging.remove(start.container());
    program.started(start.container(), start.run());
    if (reached.containsKey(Moment.AT_BARRIER)) {
      reach(Moment.LIFTED, start.epoch(), now);
    }
    if (regular.getLast().name().equals(start.container())) {
      boolean first = !reached.containsKey(Moment.RUNNING);
      reach(Moment.RUNNING, start.epoch(), now);
      if (first && CompletedRestart.isComplete(reached)) {
        var told = heard ? ProgramBreak.UNSEEN : ProgramBreak.UNWARNED;
        history = history.with(new CompletedRestart(start.epoch(), reached, told));
        open = true;
      } else if (first && history.life().started() == null && history.completed() == 0) {
        history = history.with(new ProgramLife(now, null, null, null));
      }
    }
  }

  /** With what the program has shown of itself by now. */
  RestartHistory history() {
    var now = program.now();
    if (open) {
      resumed(now);
    }
    var life = history.life();
    var started = life.started();
    boolean isFirstRun = history.completed() == 0 && life.firstOutput() == null;
    history =
        history.with(
            new ProgramLife(
                started,
                isFirstRun ? now.firstOutput() : life.firstOutput(),
                now.lastOutput() == null ? life.lastOutput() : now.lastOutput(),
                now.lastStep() == null ? life.step() : now.lastStep(),
                failed));
    return history;
  }

  boolean hasRestarted() {
    return history.completed() > 0;
  }

  private void resumed(ProgramRun now) {
    var newest = history.newest().getLast();
    if (now.firstOutput() != null) {
      reach(Moment.FIRST_OUTPUT, newest.cycle(), now.firstOutput());
    }
    if (now.caughtUp() != null) {
      reach(Moment.CAUGHT_UP, newest.cycle(), now.caughtUp());
    }
    var moments = new EnumMap<Moment, Instant>(Moment.class);
    moments.putAll(newest.moments());
    reached.forEach(moments::putIfAbsent);
    var before = program.before();
    var known = newest.program();
    history =
        history.withNewest(
            new CompletedRestart(
                newest.cycle(),
                moments,
                new ProgramBreak(
                    before.lastOutput() == null ? known.lastOutput() : before.lastOutput(),
                    before.lastStep() == null ? known.reached() : before.lastStep().number(),
                    now.firstStep() == null ? known.resumed() : now.firstStep().number(),
                    known.warned())));
  }

  void left() {
    program.close();
    observer.left(pod);
  }

  private void reach(Moment moment, int epoch, Instant at) {
    if (reached.putIfAbsent(moment, at) == null) {
      observer.reached(pod, epoch, moment, at);
    }
  }
}
