package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerState.Running;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.StopReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Container statuses from records, the cycle and the previous status (node.md 6.2, 4.5). */
final class ContainerStatuses {
  static final String UNKNOWN = SeenContainer.LOST_REASON;
  static final String REMOVED_TEXT =
      "The container is removed because RestartAllContainers in place";
  private static final String GONE_TEXT =
      "The container could not be located when the pod was terminated";
  private static final String MISSING_TEXT =
      "The container could not be located when the pod was deleted."
          + "  The container used to be Running";

  /** Whose statuses: whether what the node stopped itself may start again. */
  enum Of {
    A_LIVING_POD,
    AN_ENDING_POD
  }

  private final View view;
  private final Map<String, Waiting> waits;
  private final Of pod;

  ContainerStatuses(View view, Map<String, Waiting> waits, Of pod) {
    this.view = view;
    this.waits = waits;
    this.pod = pod;
  }

  /** Init entries in spec order, then regular and ephemeral ones by name (STS-20). */
  List<ContainerStatus> all() {
    var statuses = new ArrayList<ContainerStatus>();
    view.initEntries.forEach(c -> statuses.add(of(c)));
    for (var kind : List.of(ContainerKind.REGULAR, ContainerKind.EPHEMERAL)) {
      view.spec.ofKind(kind).stream()
          .sorted(Comparator.comparing(ContainerSpec::name))
          .forEach(c -> statuses.add(of(c)));
    }
    return statuses;
  }

  private ContainerStatus of(ContainerSpec spec) {
    var newest = view.newest(spec);
    return newest.isPresent() ? ofRecord(spec, newest.get()) : withoutRecord(spec);
  }

  private Optional<ContainerStatus> previous(ContainerSpec spec) {
    return view.seen.previous().container(spec.name());
  }

  private ContainerStatus ofRecord(ContainerSpec spec, SeenContainer record) {
    int count = Counts.of(view, record);
    var wait = waits.get(spec.name());
    if (wait == null && record.hasExited() && view.lostInPhaseTwo(spec, record)) {
      wait = new Waiting(defaultReason(), ""); // its end is not that of the attempt to come
    }
    var state =
        wait == null && isBeingReplaced(spec, record)
            ? new Running(record.startedAt())
            : state(record);
    var last = lastState(spec, record);
    if (wait != null && !record.isRunning()) {
      // Due to start, but it has to wait: the end moves to lastState (STS-13, BKO-05).
      last = state instanceof Terminated ? state : last;
      state = wait;
    }
    boolean started = started(spec, record);
    boolean ready =
        switch (spec.kind()) {
          case INIT -> state instanceof Terminated && Phases.succeeded(view, spec, record);
          case SIDECAR, REGULAR -> started && ready(spec, record);
          case EPHEMERAL -> false;
        };
    return new ContainerStatus(
        spec.name(), spec.kind(), state, last, count, ready, started, record.id(), record.image());
  }

  /**
   * Stopped by the node and about to run again: stop and start are one step, so no end is shown in
   * between. A published end of a container that its policy would not restart could not be taken
   * back (IMM-03, DEC-48, DEC-49).
   */
  private boolean isBeingReplaced(ContainerSpec spec, SeenContainer record) {
    return pod == Of.A_LIVING_POD
        && record.hasExited()
        && record.stopReason().replaces()
        && view.verdict(spec, record) instanceof Verdict.Again;
  }

  private ContainerState state(SeenContainer record) {
    return switch (record.state()) {
      case RUNNING -> new Running(record.startedAt());
      case CREATED -> new Waiting(defaultReason(), "");
      case EXITED -> Counts.terminated(record);
    };
  }

  /** The record before this one, else what is carried, else what was published (STS-11). */
  private ContainerState lastState(ContainerSpec spec, SeenContainer record) {
    for (var older : view.records(spec)) {
      if (older.run() < record.run() && older.hasExited()) {
        return Counts.terminated(older);
      }
    }
    var carried = view.cycle.carried().get(spec.name());
    if (carried != null && carried.next() == record.run()) {
      return carried.last();
    }
    var before = previous(spec);
    if (before.isEmpty()) {
      return ContainerState.NONE;
    }
    boolean replaced = !before.get().containerId().equals(record.id());
    return replaced && before.get().state() instanceof Terminated
        ? before.get().state()
        : before.get().lastState();
  }

  /** STS-18; after a restart of the node what was said before holds (STS-40). */
  private boolean started(ContainerSpec spec, SeenContainer record) {
    if (!record.isRunning()
        || !DueStarts.hookOver(record)
        || spec.kind() == ContainerKind.EPHEMERAL) {
      return false;
    }
    if (!spec.has(ProbeKind.STARTUP)) {
      return true;
    }
    return switch (record.probe(ProbeKind.STARTUP)) {
      case SUCCESS -> true;
      case FAILURE -> false;
      case UNKNOWN -> said(spec, record).filter(ContainerStatus::started).isPresent();
    };
  }

  private boolean ready(ContainerSpec spec, SeenContainer record) {
    if (!spec.has(ProbeKind.READINESS)) {
      return true;
    }
    return switch (record.probe(ProbeKind.READINESS)) {
      case SUCCESS -> true;
      case FAILURE -> false;
      case UNKNOWN -> said(spec, record).filter(ContainerStatus::ready).isPresent();
    };
  }

  /** What was published about exactly this run. */
  private Optional<ContainerStatus> said(ContainerSpec spec, SeenContainer record) {
    return previous(spec).filter(s -> s.containerId().equals(record.id()));
  }

  private ContainerStatus withoutRecord(ContainerSpec spec) {
    if (spec.kind() == ContainerKind.INIT && !view.cycle.terminating() && view.initialized()) {
      return completed(spec);
    }
    var carried = view.cycle.carried().get(spec.name());
    var before = previous(spec);
    int count = before.map(ContainerStatus::restartCount).orElse(0);
    if (carried != null) {
      count = Math.max(count, carried.shown());
      return waiting(spec, carriedState(spec), carried.last(), count);
    }
    if (before.isEmpty()) {
      return waiting(spec, defaultState(spec), ContainerState.NONE, count);
    }
    return switch (before.get().state()) {
      case Terminated _ when !waits.containsKey(spec.name()) -> before.get();
      case Terminated ended -> waiting(spec, defaultState(spec), ended, count);
      case Running(Instant startedAt) -> missing(spec, before.get(), startedAt);
      case Waiting _, ContainerState.None _ ->
          waiting(spec, defaultState(spec), before.get().lastState(), count);
    };
  }

  /** RAC-30 until the first container of the new epoch is there, then the ordinary reason. */
  private ContainerState carriedState(ContainerSpec spec) {
    boolean removed =
        view.cycle.terminating() || (view.restarting() && !new RestartAll(view).startBegun());
    return removed && !waits.containsKey(spec.name())
        ? new Waiting(Counts.RESTARTING_ALL, REMOVED_TEXT)
        : defaultState(spec);
  }

  private ContainerState defaultState(ContainerSpec spec) {
    var wait = waits.get(spec.name());
    return wait != null ? wait : new Waiting(defaultReason(), "");
  }

  private String defaultReason() {
    return view.initEntries.isEmpty() ? "ContainerCreating" : "PodInitializing";
  }

  /** It ran when last seen and has vanished since (STS-12). */
  private ContainerStatus missing(ContainerSpec spec, ContainerStatus before, Instant startedAt) {
    if (before.lastState() instanceof Terminated) {
      return waiting(spec, defaultState(spec), before.lastState(), before.restartCount());
    }
    boolean deleting = view.seen.deletion() instanceof Observed.Deletion.Asked;
    var last =
        new Terminated(
            Counts.KILLED, UNKNOWN, MISSING_TEXT, startedAt, Instant.EPOCH, before.containerId());
    return waiting(spec, defaultState(spec), last, before.restartCount() + (deleting ? 0 : 1));
  }

  /** A finished init container whose record was cleared away (STS-14). */
  private ContainerStatus completed(ContainerSpec spec) {
    var before = previous(spec);
    if (before.isPresent() && before.get().state() instanceof Terminated) {
      return before.get();
    }
    return new ContainerStatus(
        spec.name(),
        spec.kind(),
        new Terminated(
            0,
            "Completed",
            "Unable to get init container status from container runtime and pod has been"
                + " initialized",
            Instant.EPOCH,
            Instant.EPOCH,
            ContainerId.NONE),
        before.map(ContainerStatus::lastState).orElse(ContainerState.NONE),
        before.map(ContainerStatus::restartCount).orElse(0),
        true,
        false,
        ContainerId.NONE,
        spec.image());
  }

  /** RAC-34: not ready, not started, no id. */
  private static ContainerStatus waiting(
      ContainerSpec spec, ContainerState state, ContainerState last, int count) {
    return new ContainerStatus(
        spec.name(), spec.kind(), state, last, count, false, false, ContainerId.NONE, spec.image());
  }

  /**
   * Statuses of a pod that ended: what could have run but is not there any more is reported as lost
   * (RAC-67, TPC-21).
   */
  List<ContainerStatus> closed(List<ContainerStatus> statuses, PodEnding.Cause cause) {
    boolean onlyThatRan = PodEnding.byContainer(cause, view.seen.previous());
    boolean initialized = wasInitialized(statuses, cause);
    int lastInit = lastThatRan(statuses);
    var closed = new ArrayList<ContainerStatus>();
    for (int index = 0; index < statuses.size(); index++) {
      var status = statuses.get(index);
      boolean due =
          switch (status.kind()) {
            case REGULAR -> initialized;
            case INIT, SIDECAR -> index <= lastInit;
            case EPHEMERAL -> false;
          };
      boolean ran = status.lastState() instanceof Terminated || status.state() instanceof Running;
      boolean lost = due && (ran || !onlyThatRan) && !(status.state() instanceof Terminated);
      closed.add(lost ? lost(status) : status);
    }
    return closed;
  }

  /** Whether the init entries had ever been done. */
  private boolean wasInitialized(List<ContainerStatus> statuses, PodEnding.Cause cause) {
    var entries = statuses.stream().filter(s -> s.kind().isInitEntry()).toList();
    boolean regularRan =
        statuses.stream()
            .filter(s -> s.kind() == ContainerKind.REGULAR)
            .anyMatch(ContainerStatuses::hasRun);
    if (entries.isEmpty() || regularRan) {
      return true;
    }
    var last = entries.getLast();
    return last.kind() == ContainerKind.INIT
        && (isZero(last.lastState()) || (isZero(last.state()) && endedByItself(last, cause)));
  }

  /**
   * An init container that ends well because the pod's end stops it has initialized nothing: what
   * comes after it never ran. Without a record only a pod that still lives can tell: of one that
   * ended it was published already.
   */
  private boolean endedByItself(ContainerStatus init, PodEnding.Cause cause) {
    return view.initEntries.stream()
        .filter(c -> c.name().equals(init.name()))
        .flatMap(c -> view.newest(c).stream())
        .findFirst()
        .map(record -> record.stopReason() != StopReason.POD_END)
        .orElse(!(cause instanceof PodEnding.Cause.Sticky));
  }

  private static boolean isZero(ContainerState state) {
    return state instanceof Terminated ended
        && ended.exitCode() == 0
        && !ended.reason().equals(Counts.RESTARTING_ALL); // an end that asked for a restart: RAC-62
  }

  /** Index of the last init entry that was ever tried; at least the first one. */
  private static int lastThatRan(List<ContainerStatus> statuses) {
    int last = -1;
    for (int index = 0; index < statuses.size(); index++) {
      var status = statuses.get(index);
      if (status.kind().isInitEntry() && (index == 0 || hasRun(status))) {
        last = index;
      }
    }
    return last;
  }

  private static boolean hasRun(ContainerStatus status) {
    return !(status.state() instanceof Waiting) || status.lastState() instanceof Terminated;
  }

  private static ContainerStatus lost(ContainerStatus status) {
    return new ContainerStatus(
        status.name(),
        status.kind(),
        new Terminated(
            Counts.KILLED, UNKNOWN, GONE_TEXT, Instant.EPOCH, Instant.EPOCH, ContainerId.NONE),
        status.lastState(),
        status.restartCount(),
        false,
        false,
        status.containerId(),
        status.image());
  }
}
