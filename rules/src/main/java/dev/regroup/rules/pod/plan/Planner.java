package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.Observed.Deletion;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.RestartCycle;
import dev.regroup.rules.pod.plan.PodLifecycle.Fact;
import dev.regroup.rules.pod.plan.PodLifecycle.Stage;
import dev.regroup.rules.pod.plan.PodLifecycle.Step;
import dev.regroup.rules.pod.plan.PodLifecycle.Transition;
import dev.regroup.rules.pod.plan.PodPlan.Standing;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Puts a plan together in the order of SEQ-20: does the pod end, does a cycle begin or go on, is
 * there a sandbox, what has to stop, what starts next. Which of these is due says the table in
 * {@link PodLifecycle}: find the stage, take the first row whose fact holds, make its move; without
 * one do the work of the stage. {@link View} is what was seen, with the questions all parts ask;
 * {@link Draft} gathers what they want done.
 */
final class Planner {
  private final View view;
  private final Draft draft = new Draft();
  private final ContainerBackOff backOff;
  private final RestartAll restartAll;
  private final PodEnding ending;
  private final Optional<PodEnding.Cause> end;

  private Planner(View view) {
    this.view = view;
    this.backOff = new ContainerBackOff(view.seen.backOff(), view.settings, view.now);
    this.restartAll = new RestartAll(view);
    this.ending = new PodEnding(view);
    this.end = ending.cause();
  }

  static PodPlan plan(PodSpec spec, Observed seen, NodeSettings settings, Instant now) {
    return new Planner(new View(spec, seen, settings, now)).plan();
  }

  /** Takes the first way of the table whose fact holds, or stays and does the stage's own work. */
  private PodPlan plan() {
    var from = stage();
    var way = PodLifecycle.next(from, this::holds);
    return way.isPresent() ? move(way.get()) : stay(new Step(from, from));
  }

  private PodPlan move(Transition way) {
    var step = new Step(way.from(), way.to());
    return switch (way.move()) {
      case BEGIN -> begin(step);
      case REMOVE -> remove(step);
      case START -> live(step, view.cycle);
      case SETTLE -> settle(step);
      case END -> end(step);
    };
  }

  private PodPlan stay(Step step) {
    return switch (step.from()) {
      case IDLE, STARTING -> live(step, view.cycle);
      case TERMINATING -> terminate(step);
      case WAITING -> waitForBackOff(step);
      case ENDING, ENDED -> end(step);
    };
  }

  /** Where the pod stands, from what is recorded. */
  private Stage stage() {
    boolean begun = view.seen.previous().phase().isTerminal() || view.endingBegun();
    return begun && end.isPresent() ? Stage.ENDING : cycleStage();
  }

  private Stage cycleStage() {
    return switch (view.cycle.state()) {
      case IDLE -> Stage.IDLE;
      case TERMINATING -> Stage.TERMINATING;
      case STARTING -> {
        boolean waits = !restartAll.startBegun() && waitsIn(view.cycle.epoch());
        yield waits ? Stage.WAITING : Stage.STARTING;
      }
    };
  }

  /** Whether the memory shows a wait for this epoch; asking grants, so this only looks. */
  private boolean waitsIn(int epoch) {
    var entry = view.seen.backOff().entries().get(RestartAll.podKey(view).toString());
    return entry != null && entry.waitsFor() == epoch && !entry.until().equals(Instant.EPOCH);
  }

  /** Asked in the order of the table, so that back-off is granted only when a start is due. */
  private boolean holds(Fact fact) {
    return switch (fact) {
      case END_DECIDED -> end.isPresent();
      case ALL_DOWN -> ending.allDown();
      case TRIGGERED -> restartAll.triggered();
      case DOWN_TOO_SOON -> !restartAll.anythingUp() && heldIn(view.cycle.epoch() + 1);
      case DOWN -> !restartAll.anythingUp();
      case BACK_OFF_OVER -> !heldIn(view.cycle.epoch());
      case ALL_STARTED -> restartAll.allStarted();
    };
  }

  /** Whether the pod's back-off holds the start in this epoch; if not, the start is granted. */
  private boolean heldIn(int epoch) {
    return restartAll.backOff(backOff, epoch).filter(due -> due.at().isAfter(view.now)).isPresent();
  }

  /**
   * While a cycle begins or stops containers nobody is about to start: what waited keeps its
   * reason, so that its count is not taken for that of a container that ran (RAC-32).
   */
  private void keepWaits() {
    for (var status : view.seen.previous().containers()) {
      if (status.state() instanceof Waiting(String reason, String message)
          && status.lastState() instanceof Terminated last
          && view.container(status.name())
              .flatMap(view::newest)
              .filter(r -> r.id().equals(last.containerId()))
              .isPresent()) {
        draft.waits(status.name(), reason, message);
      }
    }
  }

  /** RAC-10: the record first; the condition is published by the look that follows. */
  private PodPlan begin(Step step) {
    keepWaits();
    var cycle = restartAll.due().orElseThrow();
    draft.add(new Effect.Remember(cycle));
    draft.emit(Events.restartingAll(cycle.cause()));
    return living(step, view);
  }

  private PodPlan terminate(Step step) {
    keepWaits();
    restartAll.stop(draft);
    return living(step, view);
  }

  private PodPlan remove(Step step) {
    keepWaits();
    if (step.to() == Stage.WAITING && !waitsIn(view.cycle.epoch() + 1)) {
      draft.emit(Events.podBackOff(view.spec)); // once: the wait begins with this look
    }
    restartAll.remove(draft);
    return living(step, view);
  }

  /** RAC-51: everything is removed, nothing may start yet. */
  private PodPlan waitForBackOff(Step step) {
    var due = restartAll.backOff(backOff, view.cycle.epoch()).orElseThrow();
    draft.wakeAt(due.at());
    var text = Events.podBackOffText(view.spec, due.delay());
    for (var spec : view.spec.containers()) {
      if (view.newest(spec).isEmpty() && spec.kind() != ContainerKind.EPHEMERAL) {
        draft.waits(spec.name(), "CrashLoopBackOff", text);
      }
    }
    return living(step, view);
  }

  /** RAC-24: every regular container has been started again; the cycle is over. */
  private PodPlan settle(Step step) {
    var settled = view.cycle.settled();
    draft.add(new Effect.Remember(settled));
    draft.emit(Events.allRestarted(view.cycle.begunAt(), view.now));
    return live(step, settled);
  }

  /** The ordinary life: sandbox, stops, starts. */
  private PodPlan live(Step step, RestartCycle cycle) {
    var asked = new RequestedRestarts(view.with(cycle)).accept(draft);
    var current = view.with(asked.orElse(cycle));
    var sandboxes = new SandboxNeeds(current, draft);
    if (!sandboxes.ready()) {
      keepWaits();
      sandboxes.make();
      return living(step, current);
    }
    var upkeep = new Upkeep(current, draft);
    upkeep.stops();
    new DueStarts(current, draft, backOff).plan();
    upkeep.removeOldRecords();
    return living(step, current);
  }

  private PodPlan living(Step step, View shown) {
    draft.wakeAt(ending.deadline());
    var statuses =
        new ContainerStatuses(shown, draft.waits(), ContainerStatuses.Of.A_LIVING_POD).all();
    var phase = Phases.of(shown, statuses);
    boolean same = phase == view.seen.previous().phase();
    var status =
        new PodStatus(
            phase,
            same ? view.seen.previous().reason() : "",
            same ? view.seen.previous().message() : "",
            PodConditions.of(shown, phase, statuses, shown.cycle.terminating()),
            statuses,
            view.seen.cycle().attempt());
    return new PodPlan(
        draft.effects(), status, draft.wakeUp(), backOff.memory(), Standing.ALIVE, step);
  }

  private PodPlan end(Step step) {
    var cause = end.orElseThrow();
    new RequestedRestarts(view).refuse(draft);
    ending.plan(cause, draft);
    return new PodPlan(
        draft.effects(), ended(cause), draft.wakeUp(), backOff.memory(), standing(), step);
  }

  private Standing standing() {
    if (!ending.allDown()) {
      return Standing.ALIVE;
    }
    return view.seen.deletion() instanceof Deletion.Asked ? Standing.REMOVABLE : Standing.ENDED;
  }

  /** A terminal phase is not shown while anything of the pod may still run. */
  private PodStatus ended(PodEnding.Cause cause) {
    var statuses = new ContainerStatuses(view, draft.waits(), ContainerStatuses.Of.AN_ENDING_POD);
    var all = statuses.all();
    if (!view.nothingUp() && !ending.forced() && !(cause instanceof PodEnding.Cause.Sticky)) {
      var phase = Phases.of(view, all);
      return new PodStatus(
          phase,
          view.seen.previous().reason(),
          view.seen.previous().message(),
          PodConditions.of(view, phase, all, false),
          all,
          view.seen.cycle().attempt());
    }
    List<ContainerStatus> closed = statuses.closed(all, cause);
    var phase = ending.phase(cause, closed);
    // A pod deleted before it was up fails, but its conditions never say so (STS-07).
    var conditions =
        ending.cutShort(cause, all)
            ? PodConditions.of(view, Phase.PENDING, all, false)
            : PodConditions.of(view, phase, closed, false);
    return new PodStatus(
        phase,
        ending.reason(cause),
        ending.message(cause),
        conditions,
        closed,
        view.seen.cycle().attempt());
  }
}
