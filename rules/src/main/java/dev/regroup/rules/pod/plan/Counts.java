package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.ContainerState.Running;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerState.Waiting;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.RestartCycle.Carried;
import dev.regroup.rules.pod.SeenContainer;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Restart counts and numbers of runs: never down, once per restart (RAC-32, SEQ-09, STS-17). */
public final class Counts {
  static final String RESTARTING_ALL = "RestartingAllContainers";

  /** What a SIGKILL leaves behind, and what is assumed when nobody knows. */
  static final int KILLED = 137;

  private Counts() {}

  /** The count to publish for a container that has a record. */
  static int of(View view, SeenContainer record) {
    return Math.max(record.run(), published(view, record.container()));
  }

  private static int published(View view, String container) {
    return view.seen.previous().container(container).map(ContainerStatus::restartCount).orElse(0);
  }

  /** The number of the container's next run. */
  static int nextRun(View view, ContainerSpec spec) {
    var newest = view.newest(spec);
    if (newest.isPresent()) {
      boolean neverRan = newest.get().state() == SeenContainer.State.CREATED;
      return neverRan ? newest.get().run() : of(view, newest.get()) + 1;
    }
    var carried = view.cycle.carried().get(spec.name());
    int next = carried == null ? 0 : carried.next();
    next = Math.max(next, view.seen.lastRuns().getOrDefault(spec.name(), -1) + 1);
    return Math.max(next, afterPublished(view, spec));
  }

  /** What the previous status alone says; its records may have vanished (STS-12). */
  private static int afterPublished(View view, ContainerSpec spec) {
    var status = view.seen.previous().container(spec.name());
    if (status.isEmpty()) {
      return 0;
    }
    boolean ran =
        status.get().state() instanceof Running || status.get().state() instanceof Terminated;
    return ran ? status.get().restartCount() + 1 : status.get().restartCount();
  }

  /** What outlives the removal of the records of a cycle's victims and sources (RAC-31). */
  static Map<String, Carried> carry(View view, List<ContainerSpec> containers, String message) {
    var carried = new HashMap<>(view.cycle.carried());
    for (var spec : containers) {
      view.newest(spec)
          .ifPresent(
              r -> carried.put(spec.name(), carry(view, r, ended(r, RESTARTING_ALL, message))));
    }
    return carried;
  }

  /** What outlives the removal of records whose sandbox is gone: they ended as they ended. */
  static Map<String, Carried> carry(View view, List<ContainerSpec> containers) {
    var carried = new HashMap<>(view.cycle.carried());
    for (var spec : containers) {
      view.newest(spec).ifPresent(r -> carried.put(spec.name(), lost(view, r)));
    }
    return carried;
  }

  /** One that had ended keeps its count until it starts again; one that ran has ended (STS-12). */
  private static Carried lost(View view, SeenContainer record) {
    int count = of(view, record);
    return record.hasExited()
        ? new Carried(count, count + 1, terminated(record))
        : carry(view, record, terminated(record));
  }

  private static Carried carry(View view, SeenContainer record, Terminated end) {
    int count = of(view, record);
    if (record.state() == SeenContainer.State.CREATED) {
      var before = view.cycle.carried().get(record.container());
      return new Carried(count, count, before == null ? end : before.last());
    }
    boolean waited = record.hasExited() && waitsAfter(view, record);
    return waited
        ? new Carried(count, count + 1, terminated(record))
        : new Carried(count + 1, count + 1, end);
  }

  /** Whether the status shows a wait that follows the end of exactly this run. */
  private static boolean waitsAfter(View view, SeenContainer record) {
    var status = view.seen.previous().container(record.container());
    return status.isPresent()
        && status.get().state() instanceof Waiting
        && status.get().lastState() instanceof Terminated last
        && last.containerId().equals(record.id());
  }

  /** Fills in how victims really ended, once they have; counts stay as they were decided. */
  static Map<String, Carried> withRealEnds(View view, List<ContainerSpec> containers) {
    var carried = new HashMap<>(view.cycle.carried());
    for (var spec : containers) {
      var before = carried.get(spec.name());
      var record = view.newest(spec);
      if (before == null || record.isEmpty() || !record.get().hasExited()) {
        continue;
      }
      if (before.last().containerId().equals(record.get().id())
          && before.last().reason().equals(RESTARTING_ALL)) {
        var last = ended(record.get(), RESTARTING_ALL, before.last().message());
        carried.put(spec.name(), new Carried(before.shown(), before.next(), last));
      }
    }
    return carried;
  }

  /** The end of a run as far as it is known; RAC-31 keeps code, times and id. */
  private static Terminated ended(SeenContainer record, String reason, String message) {
    return new Terminated(
        record.hasExited() ? record.exitCode() : KILLED,
        reason,
        message,
        record.startedAt(),
        record.hasExited() ? record.finishedAt() : Instant.EPOCH,
        record.id());
  }

  /** An exited record as a state (STS-10, STS-15). */
  static Terminated terminated(SeenContainer record) {
    var reason = record.reason();
    if (reason.isEmpty()) {
      reason = record.exitCode() == 0 ? "Completed" : "Error";
    }
    return new Terminated(
        record.exitCode(),
        reason,
        record.message(),
        record.startedAt(),
        record.finishedAt(),
        record.id());
  }
}
