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
import dev.regroup.rules.pod.plan.PodPlan.Standing;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Puts a plan together in the order of SEQ-20: does the pod end, does a cycle begin or go on, is
 * there a sandbox, what has to stop, what starts next. Which of these is due is read from the table
 * in {@link PodLifecycle}: find the stage, find the fact, do the work of the stage it leads to.
 */
final class Planner {
  private final View view;
  private final Draft draft = new Draft();
  private final ContainerBackOff backOff;
  private final RestartAll restartAll;
  private final PodEnding ending;

  private Planner(View view) {
    this.view = view;
    this.backOff = new ContainerBackOff(view.seen.backOff(), view.settings, view.now);
    this.restartAll = new RestartAll(view);
    this.ending = new PodEnding(view);
  }

  static PodPlan plan(PodSpec spec, Observed seen, NodeSettings settings, Instant now) {
    return new Planner(new View(spec, seen, settings, now)).plan();
  }

  private PodPlan plan() {
    var end = ending.cause();
    var from = stage(end);
    var fact = fact(from, end);
    var to = fact.map(f -> PodLifecycle.next(from, f)).orElse(from);
    var step = new Step(from, to);
    return switch (to) {
      case ENDING, ENDED -> end(end.orElseThrow(), step);
      case TERMINATING -> fact.isPresent() ? begin(step) : terminate(step);
      case WAITING -> fact.isPresent() ? removed(step) : waitForBackOff(step);
      case STARTING -> from == Stage.TERMINATING ? removed(step) : live(step, view.cycle);
      case IDLE -> from == Stage.STARTING ? settle(step) : live(step, view.cycle);
    };
  }

  /** Where the pod stands, from what is recorded. */
  private Stage stage(Optional<PodEnding.Cause> end) {
    boolean begun = view.seen.previous().phase().isTerminal() || view.endingBegun();
    return begun && end.isPresent() ? Stage.ENDING : cycleStage();
  }

  private Stage cycleStage() {
    return switch (view.cycle.state()) {
      case IDLE -> Stage.IDLE;
      case TERMINATING -> Stage.TERMINATING;
      case STARTING -> {
        boolean held = !restartAll.startBegun() && podBackOffHolds();
        yield held ? Stage.WAITING : Stage.STARTING;
      }
    };
  }

  /** Whether the memory shows a wait for this epoch; asking grants, so this only looks. */
  private boolean podBackOffHolds() {
    var entry = view.seen.backOff().entries().get(RestartAll.podKey(view).toString());
    return entry != null
        && entry.waitsFor() == view.cycle.epoch()
        && !entry.until().equals(Instant.EPOCH);
  }

  /** The strongest fact the table has a row for. */
  private Optional<Fact> fact(Stage from, Optional<PodEnding.Cause> end) {
    if (from == Stage.ENDING) {
      return ending.allDown() ? Optional.of(Fact.ALL_DOWN) : Optional.empty();
    }
    if (end.isPresent()) {
      return Optional.of(Fact.END_DECIDED);
    }
    if (from == Stage.TERMINATING) {
      return restartAll.anythingUp() ? Optional.empty() : Optional.of(removedFact());
    }
    if (restartAll.triggered()) {
      return Optional.of(Fact.TRIGGERED);
    }
    if (from == Stage.WAITING) {
      var due = restartAll.backOff(backOff, view.cycle.epoch());
      boolean over = due.isEmpty() || !due.get().at().isAfter(view.now);
      return over ? Optional.of(Fact.BACK_OFF_OVER) : Optional.empty();
    }
    if (from == Stage.STARTING && restartAll.allStarted()) {
      return Optional.of(Fact.ALL_STARTED);
    }
    return Optional.empty();
  }

  private Fact removedFact() {
    var due = restartAll.backOff(backOff, view.cycle.epoch() + 1);
    boolean now = due.isEmpty() || !due.get().at().isAfter(view.now);
    if (!now && due.get().news()) {
      draft.emit(Events.podBackOff(view.spec));
    }
    return now ? Fact.REMOVED : Fact.REMOVED_TOO_SOON;
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

  private PodPlan removed(Step step) {
    keepWaits();
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

  private PodPlan end(PodEnding.Cause cause, Step step) {
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
