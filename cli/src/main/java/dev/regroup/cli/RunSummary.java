package dev.regroup.cli;

import dev.regroup.cli.RestartLog.PodRestart;
import dev.regroup.node.RestartObserver.Moment;
import dev.regroup.rules.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What a run came to: its result, its restarts, and where their time went. */
final class RunSummary {

  private RunSummary() {}

  static String text(
      Duration elapsed,
      RunProgress.Result result,
      List<PodRestart> restarts,
      Map<String, String> podNames) {
    var groups = together(restarts);
    var lines = new ArrayList<String>();
    lines.add(
        "%s in %s, %s"
            .formatted(
                result == RunProgress.Result.SUCCEEDED ? "succeeded" : "failed",
                seconds(elapsed),
                groups.isEmpty()
                    ? "no restarts"
                    : groups.size() == 1 ? "1 restart" : groups.size() + " restarts"));
    int number = 1;
    for (var group : groups) {
      lines.add(line(number++, group, podNames));
    }
    return String.join("\n", lines);
  }

  /** Restarts of pods that overlap in time are one restart of their group. */
  static List<List<PodRestart>> together(List<PodRestart> restarts) {
    var sorted =
        restarts.stream()
            .filter(restart -> restart.moments().containsKey(Moment.TRIGGERED))
            .sorted(Comparator.comparing(RunSummary::begin))
            .toList();
    var groups = new ArrayList<List<PodRestart>>();
    Instant end = Instant.MIN;
    for (PodRestart restart : sorted) {
      if (groups.isEmpty() || begin(restart).isAfter(end)) {
        groups.add(new ArrayList<>());
        end = Instant.MIN;
      }
      groups.getLast().add(restart);
      Instant ready = restart.moments().getOrDefault(Moment.RUNNING, Instant.MAX);
      end = ready.isAfter(end) ? ready : end;
    }
    return groups;
  }

  private static String line(int number, List<PodRestart> group, Map<String, String> podNames) {
    var stages = Stages.ofGroup(group.stream().map(RunSummary::moments).toList());
    String slowest =
        group.stream()
            .max(Comparator.comparing(restart -> before(restart, Moment.AT_BARRIER)))
            .map(restart -> podNames.getOrDefault(restart.podUid(), restart.podUid()))
            .orElse("");
    return "restart %d: %s lost, %s%s"
        .formatted(
            number,
            seconds(stages.total()),
            group.size() == 1 ? slowest : group.size() + " pods, slowest " + slowest,
            spans(stages));
  }

  /** Where the time went; what took none is left out, so that the rest fits on a line. */
  private static String spans(Stages stages) {
    String none = seconds(Duration.ZERO);
    String spans =
        stages.spans().stream()
            .filter(span -> !seconds(span.took()).equals(none))
            .map(span -> span.until().words() + " " + seconds(span.took()))
            .collect(Collectors.joining(", "));
    return spans.isEmpty() ? "" : "\n  until " + spans;
  }

  /** A pod that was not the cause saw no exit: its restart begins when it is told. */
  private static Map<Stages.Moment, Instant> moments(PodRestart restart) {
    var moments = new EnumMap<Stages.Moment, Instant>(Stages.Moment.class);
    restart.moments().forEach((moment, at) -> moments.put(stage(moment), at));
    moments.putIfAbsent(Stages.Moment.EXIT_SEEN, begin(restart));
    return moments;
  }

  private static Stages.Moment stage(Moment moment) {
    return switch (moment) {
      case EXITED -> Stages.Moment.EXIT_SEEN;
      case TRIGGERED -> Stages.Moment.NOTICED;
      case STOPPED -> Stages.Moment.STOPPED;
      case REMOVED -> Stages.Moment.REMOVED;
      case AT_BARRIER -> Stages.Moment.AT_BARRIER;
      case LIFTED -> Stages.Moment.LIFTED;
      case RUNNING -> Stages.Moment.RUNNING;
    };
  }

  private static Instant begin(PodRestart restart) {
    return restart.moments().values().stream().min(Comparator.naturalOrder()).orElse(Instant.MAX);
  }

  private static Instant before(PodRestart restart, Moment moment) {
    return restart
        .moments()
        .getOrDefault(moment, restart.moments().getOrDefault(Moment.RUNNING, Instant.MAX));
  }

  private static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.2fs", duration.toNanos() / 1e9);
  }
}
