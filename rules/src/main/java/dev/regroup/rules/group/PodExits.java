package dev.regroup.rules.group;

import dev.regroup.rules.RestartNote;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Who ended first in a pod. A restart of all containers leaves every container with an end; the one
 * that caused it is named in the notes Regroup's node writes, and told by its time where another
 * node wrote.
 */
final class PodExits {

  private static final String BACK_OFF = "CrashLoopBackOff";
  private static final int KILLED = 137;

  private static final Comparator<@Nullable Instant> UNKNOWN_LAST =
      Comparator.nullsLast(Comparator.naturalOrder());

  private final String name;
  private final GroupPod pod;

  PodExits(String name, GroupPod pod) {
    this.name = name;
    this.pod = pod;
  }

  /** The first container of this role whose end fails the attempt. */
  Optional<GroupPod.Container> first(GroupPod.Role role) {
    return first(role, GroupPod.Container::ended);
  }

  Sign sign(Sign.Kind kind, GroupPod.Role role) {
    return first(role)
        .map(one -> exit(kind, one, one.ended()))
        .orElseGet(() -> Sign.of(kind, name));
  }

  /** All containers restart: because of whom. */
  Sign restarting(GroupPod.Restarting restarting) {
    var kind = Sign.Kind.ALL_CONTAINERS_RESTARTING;
    return switch (RestartNote.read(restarting.text())) {
      case RestartNote.Ordered _ -> Sign.of(kind, name).since(restarting.since());
      case RestartNote.Exited source -> named(source, GroupPod.Container::ended);
      case RestartNote.Asked _, RestartNote.Other _ ->
          first(GroupPod.Role.WORKER)
              .or(() -> first(GroupPod.Role.AGENT))
              .map(one -> exit(kind, one, one.ended()))
              .orElseGet(() -> Sign.of(kind, name).since(restarting.since()));
    };
  }

  /** How the attempt before the reported one ended; null when unknown, or ordered by the group. */
  @Nullable Sign past() {
    var newest = newestCycle();
    if (newest.isEmpty()) {
      return firstToEndBefore();
    }
    return switch (RestartNote.read(newest.get().text())) {
      case RestartNote.Ordered _ -> null;
      case RestartNote.Asked _ -> Sign.of(Sign.Kind.REQUESTED, name).since(newest.get().at());
      case RestartNote.Exited source -> named(source, GroupPod.Container::last);
      case RestartNote.Other _ -> firstToEndBefore();
    };
  }

  private @Nullable Sign firstToEndBefore() {
    return first(GroupPod.Role.WORKER, GroupPod.Container::last)
        .or(() -> first(GroupPod.Role.AGENT, GroupPod.Container::last))
        .map(one -> exit(Sign.Kind.WORKER_EXITED, one, one.last()))
        .orElse(null);
  }

  /**
   * The pod has left the attempt it reports and waits to go on to the next: what is reported is
   * still the old one (JS-137, node.md RAC-54).
   */
  boolean between() {
    boolean cycle = pod.agent() == GroupPod.Agent.NODE && newestCycle().isPresent();
    return pod.containers().stream()
        .filter(one -> one.waits().equals(BACK_OFF))
        .anyMatch(one ->
            switch (one.role()) {
              case AGENT -> true;
              case WORKER ->
                  one.last().map(end -> end.byCycle() ? cycle : end.fails()).orElse(cycle);
              case INIT, HELPER -> false;
            });
  }

  /** The source of the newest restart of all containers, as the last states name it. */
  Optional<RestartNote.Exited> source() {
    return newestCycle()
        .map(end -> RestartNote.read(end.text()))
        .filter(RestartNote.Exited.class::isInstance)
        .map(RestartNote.Exited.class::cast);
  }

  boolean workersDone() {
    return pod.containers().stream()
        .filter(one -> one.role() == GroupPod.Role.WORKER)
        .allMatch(one -> one.ended().map(end -> end.exitCode() == 0).orElse(false));
  }

  static @Nullable Instant at(GroupPod.Container container) {
    return container.ended().map(GroupPod.Ended::at).orElse(null);
  }

  private Optional<GroupPod.Ended> newestCycle() {
    return pod.containers().stream()
        .flatMap(one -> one.last().stream())
        .filter(GroupPod.Ended::byCycle)
        .max(
            Comparator.comparing(
                GroupPod.Ended::at, Comparator.nullsFirst(Comparator.naturalOrder())));
  }

  /** The earliest failure; of equal times not one that the cycle itself may have stopped. */
  private Optional<GroupPod.Container> first(
      GroupPod.Role role, Function<GroupPod.Container, Optional<GroupPod.Ended>> end) {
    return pod.containers().stream()
        .filter(one -> one.role() == role)
        .filter(one -> end.apply(one).map(GroupPod.Ended::fails).orElse(false))
        .min(
            Comparator.comparing(
                    (GroupPod.Container one) -> end.apply(one).map(GroupPod.Ended::at).orElse(null),
                    UNKNOWN_LAST)
                .thenComparing(one -> end.apply(one).orElseThrow().exitCode() == KILLED));
  }

  private Sign named(
      RestartNote.Exited source, Function<GroupPod.Container, Optional<GroupPod.Ended>> end) {
    Instant at = null;
    for (var container : pod.containers()) {
      if (container.name().equals(source.container())) {
        at = end.apply(container).map(GroupPod.Ended::at).orElse(null);
      }
    }
    return Sign.of(Sign.Kind.ALL_CONTAINERS_RESTARTING, name, source.container(), source.code())
        .since(at);
  }

  private Sign exit(Sign.Kind kind, GroupPod.Container container, Optional<GroupPod.Ended> end) {
    return Sign.of(kind, name, container.name(), end.map(GroupPod.Ended::exitCode).orElse(null))
        .since(end.map(GroupPod.Ended::at).orElse(null));
  }
}
