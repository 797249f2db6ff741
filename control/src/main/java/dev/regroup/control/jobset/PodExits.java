package dev.regroup.control.jobset;

import dev.regroup.control.pods.GroupPod;
import dev.regroup.rules.group.Sign;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who ended first in a pod. A restart of all containers leaves every container with an end; the one
 * that caused it is named in the texts Regroup's node writes (node.md CND-11, RAC-31), and by its
 * time where another node wrote.
 */
final class PodExits {

  /** As a restart of all containers names its source. */
  record Source(String container, int code) {}

  private static final Pattern SOURCE =
      Pattern.compile("Container (\\S+) exited with code (-?\\d{1,9}), triggering pod restart.*");
  private static final Pattern TOLD = Pattern.compile("Pod is at attempt \\d+, the group .*");
  private static final Pattern REQUESTED = Pattern.compile("Request .*", Pattern.DOTALL);

  private static final String BACK_OFF = "CrashLoopBackOff";

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
  Sign restarting() {
    var kind = Sign.Kind.ALL_CONTAINERS_RESTARTING;
    if (told(pod.restartText())) {
      return Sign.of(kind, name).since(pod.restartingSince());
    }
    var source = source(pod.restartText());
    if (source != null) {
      return named(source, GroupPod.Container::ended);
    }
    return first(GroupPod.Role.WORKER)
        .or(() -> first(GroupPod.Role.AGENT))
        .map(one -> exit(kind, one, one.ended()))
        .orElseGet(() -> Sign.of(kind, name).since(pod.restartingSince()));
  }

  /** How the attempt before the reported one ended; null when unknown, or told to by the group. */
  @Nullable Sign past() {
    var newest = newestCycle(pod);
    if (newest.isPresent()) {
      var text = newest.get().text();
      if (told(text)) {
        return null;
      }
      if (REQUESTED.matcher(text).matches()) {
        return Sign.of(Sign.Kind.REQUESTED, name).since(newest.get().at());
      }
      var source = source(text);
      if (source != null) {
        return named(source, GroupPod.Container::last);
      }
    }
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
    boolean cycle = pod.nodeAgent() && newestCycle(pod).isPresent();
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
  static @Nullable Source source(GroupPod pod) {
    return newestCycle(pod).map(end -> source(end.text())).orElse(null);
  }

  boolean workersDone() {
    return pod.containers().stream()
        .filter(one -> one.role() == GroupPod.Role.WORKER)
        .allMatch(one -> one.ended().map(end -> end.exitCode() == 0).orElse(false));
  }

  static @Nullable Instant at(GroupPod.Container container) {
    return container.ended().map(GroupPod.Ended::at).orElse(null);
  }

  private static Optional<GroupPod.Ended> newestCycle(GroupPod pod) {
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
                .thenComparing(one -> end.apply(one).orElseThrow().exitCode() == 137));
  }

  private Sign named(Source source, Function<GroupPod.Container, Optional<GroupPod.Ended>> end) {
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

  private static boolean told(String text) {
    return TOLD.matcher(text).matches();
  }

  private static @Nullable Source source(String text) {
    var match = SOURCE.matcher(text);
    return match.matches() ? new Source(match.group(1), Integer.parseInt(match.group(2))) : null;
  }
}
