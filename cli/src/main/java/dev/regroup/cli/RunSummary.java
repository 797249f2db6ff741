package dev.regroup.cli;

import dev.regroup.cli.RestartLog.PodRestart;
import dev.regroup.node.RestartObserver.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What a run came to: its result, its restarts, and where their time went. */
final class RunSummary {

  /** The stages between two moments, as people read them. */
  private enum Stage {
    NOTICE("notice", Moment.TRIGGERED),
    STOP("stop", Moment.STOPPED),
    REMOVE("remove", Moment.REMOVED),
    INIT("init and barrier", Moment.AT_BARRIER),
    LIFT("lift", Moment.LIFTED),
    START("start", Moment.RUNNING);

    private final String text;
    private final Moment end;

    Stage(String text, Moment end) {
      this.text = text;
      this.end = end;
    }
  }

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
    Instant begin =
        group.stream().map(RunSummary::begin).min(Comparator.naturalOrder()).orElseThrow();
    Instant at = begin;
    var stages = new ArrayList<String>();
    for (Stage stage : Stage.values()) {
      Optional<Instant> end = latest(group, stage.end);
      if (end.isPresent()) {
        Instant reached = end.get().isAfter(at) ? end.get() : at;
        stages.add(stage.text + " " + seconds(Duration.between(at, reached)));
        at = reached;
      }
    }
    String slowest =
        group.stream()
            .max(Comparator.comparing(restart -> before(restart, Moment.AT_BARRIER)))
            .map(restart -> podNames.getOrDefault(restart.podUid(), restart.podUid()))
            .orElse("");
    return "restart %d: %s lost, %d %s (%s); slowest %s"
        .formatted(
            number,
            seconds(Duration.between(begin, at)),
            group.size(),
            group.size() == 1 ? "pod" : "pods",
            String.join(", ", stages),
            slowest);
  }

  private static Instant begin(PodRestart restart) {
    return restart.moments().values().stream().min(Comparator.naturalOrder()).orElse(Instant.MAX);
  }

  private static Instant before(PodRestart restart, Moment moment) {
    return restart
        .moments()
        .getOrDefault(moment, restart.moments().getOrDefault(Moment.RUNNING, Instant.MAX));
  }

  private static Optional<Instant> latest(List<PodRestart> group, Moment moment) {
    return group.stream()
        .map(restart -> restart.moments().get(moment))
        .filter(java.util.Objects::nonNull)
        .max(Comparator.naturalOrder());
  }

  private static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.2f s", duration.toNanos() / 1e9);
  }
}
