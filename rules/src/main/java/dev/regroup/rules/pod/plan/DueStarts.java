package dev.regroup.rules.pod.plan;

import dev.regroup.rules.group.AgentMind;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.ContainerSpec.Hook;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.SeenContainer.HookState;
import dev.regroup.rules.pod.SeenContainer.ProbeResult;
import dev.regroup.rules.pod.SeenContainer.State;
import java.util.List;
import java.util.Optional;

/**
 * What starts next (node.md 3.1): ephemeral containers, then init entries in list order, then,
 * behind the barrier of the group, regular containers in list order.
 */
final class DueStarts {
  private static final String BARRIER = "WaitingForBarrier";

  private final View view;
  private final Draft draft;
  private final ContainerBackOff backOff;

  DueStarts(View view, Draft draft, ContainerBackOff backOff) {
    this.view = view;
    this.draft = draft;
    this.backOff = backOff;
  }

  void plan() {
    for (var spec : view.spec.ofKind(ContainerKind.EPHEMERAL)) {
      if (view.newest(spec).isEmpty()) {
        start(spec, Optional.empty());
      }
    }
    if (initEntriesDone()) {
      regular();
    }
  }

  /**
   * Walks the init entries (SEQ-02). Entries before the last one that has a record are settled:
   * plain ones are done, sidecars are only kept alive, and the sequence never goes back (SEQ-04,
   * SEQ-07).
   */
  private boolean initEntriesDone() {
    var entries = view.initEntries;
    boolean initialized = view.initialized();
    int reached = lastWithRecord(entries);
    for (int index = 0; index < entries.size(); index++) {
      var spec = entries.get(index);
      boolean settled = initialized || index < reached;
      boolean goOn =
          spec.kind() == ContainerKind.SIDECAR
              ? sidecar(spec) || settled
              : settled || initContainer(spec);
      if (!goOn) {
        return false;
      }
    }
    return true;
  }

  /** A kept sidecar says nothing about the entries before it: they run anew (ACT-07). */
  private int lastWithRecord(List<ContainerSpec> entries) {
    for (int index = entries.size() - 1; index > 0; index--) {
      if (view.here(entries.get(index)).filter(view::madeInEpoch).isPresent()) {
        return index;
      }
    }
    return 0;
  }

  /** Starts a plain init container if it is due; true once it is done. */
  private boolean initContainer(ContainerSpec spec) {
    var record = view.here(spec);
    if (record.isEmpty() || record.get().state() == State.CREATED) {
      start(spec, record);
      return false;
    }
    if (!record.get().hasExited()) {
      return false;
    }
    return switch (view.verdict(spec, record.get())) {
      case Verdict.Done _ -> true;
      case Verdict.Again(Verdict.Delay delay) -> {
        again(spec, record.get(), delay);
        yield false;
      }
      case Verdict.FailPod _, Verdict.RestartAll _, Verdict.EndPod _ -> false;
    };
  }

  /** Starts a sidecar if it is due; true once the next entry may start (SEQ-02). */
  private boolean sidecar(ContainerSpec spec) {
    var record = view.here(spec);
    if (record.isEmpty() || record.get().state() == State.CREATED) {
      start(spec, record);
      return false;
    }
    if (record.get().isRunning()) {
      return isStarted(spec, record.get());
    }
    if (!record.get().hasExited()) {
      return false;
    }
    return switch (view.verdict(spec, record.get())) {
      case Verdict.Done _ -> true; // completed by a rule: counts as started (DEC-56)
      case Verdict.Again(Verdict.Delay delay) -> {
        again(spec, record.get(), delay);
        yield false;
      }
      case Verdict.FailPod _, Verdict.RestartAll _, Verdict.EndPod _ -> false;
    };
  }

  /** Running, {@code postStart} finished, startup probe passed if there is one. */
  static boolean isStarted(ContainerSpec spec, SeenContainer record) {
    return record.isRunning()
        && hookOver(record)
        && (!spec.has(ProbeKind.STARTUP) || record.probe(ProbeKind.STARTUP) == ProbeResult.SUCCESS);
  }

  static boolean hookOver(SeenContainer record) {
    return record.postStart() == HookState.NONE || record.postStart() == HookState.SUCCEEDED;
  }

  private void regular() {
    switch (NodeBarrier.of(view)) {
      case AgentMind.Run() -> startRegular();
      case AgentMind.Hold(var reason) -> hold(NodeBarrier.message(reason, view));
      case AgentMind.Arrive(int attempt) -> {
        draft.add(new Effect.Remember(view.cycle.withAttempt(attempt)));
        hold(NodeBarrier.atAttempt(attempt));
      }
      case AgentMind.Restart(int from, _) -> hold(NodeBarrier.atAttempt(from)); // the cycle is due
    }
  }

  /** Until it runs, a container that is let through shows the wait that is just over. */
  private void keepWait(ContainerSpec spec) {
    var before = view.seen.previous().container(spec.name()).map(ContainerStatus::state);
    if (before.orElse(ContainerState.NONE) instanceof Waiting(String reason, String message)
        && reason.equals(BARRIER)) {
      draft.waits(spec.name(), reason, message);
    }
  }

  private void hold(String message) {
    for (var spec : view.regular) {
      var record = view.current(spec);
      if (record.isEmpty() || view.lostInPhaseTwo(spec, record.get())) {
        draft.waits(spec.name(), BARRIER, message);
      }
    }
  }

  /** One after another; each waits for the {@code postStart} of those before it (SEQ-03). */
  private void startRegular() {
    for (var spec : view.regular) {
      var record = view.current(spec);
      boolean started = false;
      if (record.isEmpty() || record.get().state() == State.CREATED) {
        started = start(spec, record);
        if (started) {
          keepWait(spec);
        }
      } else if (record.get().hasExited()
          && view.verdict(spec, record.get()) instanceof Verdict.Again(Verdict.Delay delay)) {
        started = again(spec, record.get(), delay);
      }
      boolean hookRuns =
          started
              ? spec.has(Hook.POST_START)
              : record.filter(r -> r.isRunning() && !hookOver(r)).isPresent();
      if (hookRuns) {
        return;
      }
    }
  }

  /** Starts again after an exit, when back-off allows. */
  private boolean again(ContainerSpec spec, SeenContainer exited, Verdict.Delay delay) {
    if (delay == Verdict.Delay.BACK_OFF) {
      boolean agent = view.spec.agentContainer().equals(spec.name());
      var key =
          new ContainerBackOff.Key(
              spec.name() + "\n" + spec.fingerprint(), agent ? GroupSpell.of(view) : "");
      var due = backOff.ask(key, exited.run(), exited.finishedAt());
      if (due.at().isAfter(view.now)) {
        var text = Events.backOffText(view.spec, spec, due.delay());
        draft.waits(spec.name(), "CrashLoopBackOff", text);
        draft.wakeAt(due.at());
        if (due.news()) {
          draft.emit(Events.backOff(view.spec, spec));
        }
        return false;
      }
    }
    return start(spec, Optional.of(exited));
  }

  /** Starts unless the last try failed a moment ago (STS-13). */
  private boolean start(ContainerSpec spec, Optional<SeenContainer> newest) {
    var failure = view.seen.startFailures().get(spec.name());
    if (failure != null) {
      draft.waits(spec.name(), failure.reason(), failure.message());
      if (failure.retryAt().isAfter(view.now)) {
        draft.wakeAt(failure.retryAt());
        return false;
      }
    }
    // Left behind between "created" and "started": made anew under the same number.
    newest
        .filter(r -> r.state() == State.CREATED)
        .ifPresent(r -> draft.add(new Effect.Remove(List.of(r.id()))));
    draft.add(new Effect.Start(spec.name(), Counts.nextRun(view, spec), view.cycle.epoch()));
    return true;
  }
}
