package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Observed.Deletion;
import dev.regroup.rules.pod.Observed.ForcedEnd;
import dev.regroup.rules.pod.Observed.Sandbox;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodEvent;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.StopReason;
import dev.regroup.rules.pod.plan.Verdict.Ground;
import dev.regroup.rules.pod.plan.Verdict.Result;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Whether and how the pod ends for good (TERM-01, node.md section 5). A function of what is
 * recorded, so that a restarted node comes to the same end (TPC-26, TPC-28).
 */
final class PodEnding {
  /** What a deletion waits for beyond the grace before it uses force: 10 s (TERM-11). */
  static final Duration FORCE_AFTER = Duration.ofSeconds(10);

  private static final Duration DELETION_MINIMUM = Duration.ofSeconds(1);
  private static final String BY_RULE = "TerminatedByRule";
  private static final String DEADLINE = "DeadlineExceeded";
  private static final String DEADLINE_TEXT =
      "Pod was active on the node longer than the specified deadline";

  /** Why the pod ends: decides its last phase. */
  sealed interface Cause {
    /** The phase was terminal before and stays so. */
    record Sticky() implements Cause {}

    record Forced(String reason, String message) implements Cause {}

    record InitFailed() implements Cause {}

    /** Every regular container is done. */
    record Completed(Result result) implements Cause {}

    /** One container ended the pod; {@code result} is TPC-22. */
    record ByContainer(ContainerSpec spec, int exitCode, Ground ground, Result result)
        implements Cause {}

    /** Deletion alone: the phase follows from how the containers ended. */
    record Deleted() implements Cause {}
  }

  private final View view;

  PodEnding(View view) {
    this.view = view;
  }

  /** Why the pod ends; empty while it lives. */
  Optional<Cause> cause() {
    if (view.seen.previous().phase().isTerminal()) {
      return Optional.of(new Cause.Sticky());
    }
    if (view.seen.forcedEnd() instanceof ForcedEnd.Forced forced) {
      return Optional.of(new Cause.Forced(forced.reason(), forced.message()));
    }
    if (!view.now.isBefore(deadline())) {
      return Optional.of(new Cause.Forced(DEADLINE, DEADLINE_TEXT));
    }
    var own = view.cycle.terminating() ? Optional.<Cause>empty() : byRecords();
    if (own.isEmpty() && view.seen.deletion() instanceof Deletion.Asked) {
      return Optional.of(new Cause.Deleted());
    }
    return own;
  }

  /** When the pod is at its active deadline; {@link Instant#MAX} for never. */
  Instant deadline() {
    var deadline = view.spec.activeDeadline();
    return deadline.equals(PodSpec.NO_DEADLINE)
        ? Instant.MAX
        : view.seen.startTime().plus(deadline);
  }

  private Optional<Cause> byRecords() {
    if (initFailed()) {
      return Optional.of(new Cause.InitFailed()); // before any trigger (DEC-47)
    }
    boolean ending = view.endingBegun() || view.seen.deletion() instanceof Deletion.Asked;
    if (!ending && new RestartAll(view).triggered()) {
      return Optional.empty(); // a restart of all containers wins over an end (TPC-24)
    }
    var byContainer = byContainer();
    return byContainer.isPresent() ? byContainer : completed();
  }

  private boolean initFailed() {
    return !view.initialized()
        && view.spec.ofKind(ContainerKind.INIT).stream()
            .anyMatch(c -> view.verdict(c).filter(Verdict.FailPod.class::isInstance).isPresent());
  }

  /** The container whose end ends the pod: the first one, list order on a tie (TPC-28). */
  private Optional<Cause> byContainer() {
    ContainerSpec first = null;
    SeenContainer firstRecord = null;
    Verdict.EndPod firstVerdict = null;
    for (var spec : view.spec.containers()) {
      var record = view.current(spec);
      if (record.isEmpty() || view.verdict(spec).isEmpty()) {
        continue;
      }
      boolean own = record.get().stopReason() != StopReason.POD_END;
      if (!own || !(view.verdict(spec).get() instanceof Verdict.EndPod verdict)) {
        continue;
      }
      if (verdict.ground() == Ground.TERMINATED_BY_RULE && completed().isPresent()) {
        continue; // once all regular containers are done a sidecar's result is nobody's (ACT-04)
      }
      if (firstRecord == null || record.get().finishedAt().isBefore(firstRecord.finishedAt())) {
        first = spec;
        firstRecord = record.get();
        firstVerdict = verdict;
      }
    }
    if (first == null || firstRecord == null || firstVerdict == null) {
      return Optional.empty();
    }
    return Optional.of(
        new Cause.ByContainer(
            first,
            firstRecord.exitCode(),
            firstVerdict.ground(),
            resultOf(firstVerdict, firstRecord)));
  }

  /** TPC-22: what was stopped by the end itself does not count. */
  private Result resultOf(Verdict.EndPod trigger, SeenContainer record) {
    boolean failedBefore =
        view.regular.stream()
            .flatMap(c ->
                view.current(c).filter(SeenContainer::hasExited).stream()
                    .filter(r -> r.stopReason() != StopReason.POD_END)
                    .filter(r -> !r.finishedAt().isAfter(record.finishedAt()))
                    .filter(r -> result(c, r) == Result.FAILED))
            .findAny()
            .isPresent();
    return failedBefore ? Result.FAILED : trigger.result();
  }

  /** How a container that ended counts: by its code, or as a rule says (STS-08). */
  private Result result(ContainerSpec spec, SeenContainer record) {
    return switch (view.verdict(spec, record)) {
      case Verdict.Done(Result result) -> result;
      case Verdict.EndPod(_, Result result) -> result;
      case Verdict.Again _, Verdict.FailPod _, Verdict.RestartAll _ -> Result.of(record.exitCode());
    };
  }

  /** Every regular container has ended for good (SEQ-20 step 6). */
  private Optional<Cause> completed() {
    var result = Result.SUCCEEDED;
    for (var spec : view.regular) {
      var verdict = view.verdict(spec);
      if (verdict.isEmpty()) {
        return Optional.empty();
      }
      switch (verdict.get()) {
        case Verdict.Done(Result own) -> result = own == Result.FAILED ? own : result;
        case Verdict.EndPod(_, Result own) -> result = own == Result.FAILED ? own : result;
        case Verdict.Again _, Verdict.FailPod _, Verdict.RestartAll _ -> {
          return Optional.empty();
        }
      }
    }
    return Optional.of(new Cause.Completed(result));
  }

  /** The last phase, once nothing runs any more and statuses are final. */
  Phase phase(Cause cause, List<ContainerStatus> statuses) {
    return switch (cause) {
      case Cause.Sticky() -> view.seen.previous().phase();
      case Cause.Forced _, Cause.InitFailed _ -> Phase.FAILED;
      case Cause.Completed(Result result) -> phaseOf(result);
      case Cause.ByContainer(_, _, _, Result result) -> phaseOf(result);
      case Cause.Deleted() -> {
        boolean succeeded =
            statuses.stream()
                .filter(s -> s.kind() == ContainerKind.REGULAR)
                .allMatch(s -> Phases.succeeded(view, s));
        yield succeeded && view.spec.origin() == PodSpec.Origin.API
            ? Phase.SUCCEEDED
            : Phase.FAILED;
      }
    };
  }

  /** Whether a deletion ended a pod that was still pending, now or, by its conditions, before. */
  boolean cutShort(Cause cause, List<ContainerStatus> statuses) {
    return switch (cause) {
      case Cause.Deleted() -> Phases.ofContainers(view, statuses) == Phase.PENDING;
      case Cause.Sticky() ->
          view.seen.deletion() instanceof Deletion.Asked
              && view.seen
                  .previous()
                  .condition(PodCondition.Type.READY)
                  .filter(c -> c.reason().equals(PodConditions.NOT_READY))
                  .isPresent();
      case Cause.Forced _, Cause.InitFailed _, Cause.Completed _, Cause.ByContainer _ -> false;
    };
  }

  private static Phase phaseOf(Result result) {
    return result == Result.SUCCEEDED ? Phase.SUCCEEDED : Phase.FAILED;
  }

  /** Stops what runs, then the sandbox. */
  void plan(Cause cause, Draft draft) {
    announce(cause, draft);
    var begun = begun();
    var grace = grace();
    if (!view.nothingUp()) {
      var forceAt = begun.plus(grace).plus(FORCE_AFTER);
      boolean deleted = view.seen.deletion() instanceof Deletion.Asked;
      if (deleted && !view.now.isBefore(forceAt)) {
        force(draft);
        return;
      }
      new DueStops(view, draft).inOrder(view.spec.containers(), StopReason.POD_END, begun, grace);
      if (deleted) {
        draft.wakeAt(forceAt);
      }
      return;
    }
    if (view.seen.sandbox().state() != Sandbox.State.NONE) {
      draft.add(new Effect.StopSandbox(view.seen.sandbox().id()));
    }
  }

  /** Whether anything of the pod is left that an end still has to wait for. */
  boolean allDown() {
    return (view.nothingUp() || forced()) && view.seen.sandbox().state() == Sandbox.State.NONE;
  }

  /** TERM-11: the sandbox was killed; what the runtime still shows is beyond help. */
  boolean forced() {
    return view.seen.deletion() instanceof Deletion.Asked
        && view.seen.sandbox().state() == Sandbox.State.NONE
        && !view.now.isBefore(begun().plus(grace()).plus(FORCE_AFTER));
  }

  private void force(Draft draft) {
    if (view.seen.sandbox().state() != Sandbox.State.NONE) {
      draft.add(new Effect.KillSandbox(view.seen.sandbox().id()));
    }
  }

  private void announce(Cause cause, Draft draft) {
    if (view.endingBegun() || view.seen.previous().phase().isTerminal()) {
      return; // said before
    }
    switch (cause) {
      case Cause.Forced(String reason, String message) -> {
        if (reason.equals(DEADLINE)) {
          draft.emit(Events.ofPod(PodEvent.Type.NORMAL, reason, message));
        } else if (message.startsWith(ForcedEnd.REJECTED)) {
          var why = message.substring(ForcedEnd.REJECTED.length());
          draft.emit(Events.ofPod(PodEvent.Type.WARNING, reason, why));
        }
      }
      case Cause.ByContainer by -> {
        var type = by.result() == Result.SUCCEEDED ? PodEvent.Type.NORMAL : PodEvent.Type.WARNING;
        draft.emit(Events.ofPod(type, "TerminatePod", message(by)));
      }
      case Cause.Sticky _, Cause.InitFailed _, Cause.Completed _, Cause.Deleted _ -> {}
    }
  }

  /** Whether a container ended the pod, now or, by the published reason, before. */
  static boolean byContainer(Cause cause, PodStatus previous) {
    return cause instanceof Cause.ByContainer
        || previous.reason().equals(PodStatus.ON_COMPLETION)
        || previous.reason().equals(BY_RULE);
  }

  /** Reason of the ended pod, empty for none (TPC-23, ACT-04). */
  String reason(Cause cause) {
    return switch (cause) {
      case Cause.Sticky() -> view.seen.previous().reason();
      case Cause.Forced(String reason, _) -> reason;
      case Cause.ByContainer by ->
          by.ground() == Ground.TERMINATED_BY_RULE ? BY_RULE : PodStatus.ON_COMPLETION;
      case Cause.InitFailed _, Cause.Completed _, Cause.Deleted _ -> "";
    };
  }

  String message(Cause cause) {
    return switch (cause) {
      case Cause.Sticky() -> view.seen.previous().message();
      case Cause.Forced(_, String message) -> message;
      case Cause.ByContainer by ->
          "Container %s exited with code %d, ending the pod"
              .formatted(by.spec().name(), by.exitCode());
      case Cause.InitFailed _, Cause.Completed _, Cause.Deleted _ -> "";
    };
  }

  /** TERM-02: what a deletion says, else the pod's own grace; eviction may force a lower one. */
  Duration grace() {
    var grace = view.spec.terminationGrace();
    if (view.seen.deletion() instanceof Deletion.Asked(_, Duration asked)) {
      grace = asked.compareTo(DELETION_MINIMUM) < 0 ? DELETION_MINIMUM : asked;
    }
    if (view.seen.forcedEnd() instanceof ForcedEnd.Forced forced
        && forced.grace().compareTo(grace) < 0) {
      grace = forced.grace();
    }
    return grace;
  }

  private Instant begun() {
    if (view.seen.deletion() instanceof Deletion.Asked(Instant asked, _)) {
      return asked;
    }
    return view.seen.records().stream()
        .filter(r -> r.stopReason() == StopReason.POD_END)
        .map(r -> r.stop().since())
        .filter(since -> since.isAfter(Instant.EPOCH))
        .min(Instant::compareTo)
        .orElse(view.now);
  }
}
