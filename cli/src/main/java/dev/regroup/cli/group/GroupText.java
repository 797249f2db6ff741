package dev.regroup.cli.group;

import dev.regroup.rules.group.InPlaceRestart;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A report for people. */
public final class GroupText {

  private static final int SHOWN = 5; // of those who are missing

  private GroupText() {}

  /** One line for each JobSet. */
  public static List<String> table(List<GroupReport> reports) {
    var lines = new ArrayList<String>();
    var rows = new ArrayList<List<String>>();
    rows.add(List.of("NAMESPACE", "NAME", "STATE", "ATTEMPT", "AT BARRIER", "BUDGET"));
    for (var one : reports) {
      rows.add(
          List.of(
              one.namespace(),
              one.name(),
              one.state(),
              one.attempt().isPresent() ? String.valueOf(one.attempt().getAsInt()) : "-",
              one.inPlace() ? one.arrived() + " of " + one.expected() : "-",
              one.used() + " of " + one.allowed()));
    }
    int columns = rows.getFirst().size();
    var widths = new int[columns];
    rows.forEach(row -> {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    });
    for (var row : rows) {
      var line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        line.append(("%-" + (widths[i] + 3) + "s").formatted(row.get(i)));
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }

  /** All about one. */
  public static List<String> lines(GroupReport report, Instant now) {
    var lines = new ArrayList<String>();
    lines.add("JobSet %s/%s: %s".formatted(report.namespace(), report.name(), report.state()));
    if (report.inPlace()) {
      lines.add(
          "attempt  %s, %d of %d at it"
              .formatted(
                  report.attempt().isPresent() ? report.attempt().getAsInt() : "none yet",
                  report.arrived(),
                  report.expected()));
    }
    lines.add("budget   %d of %d restarts used".formatted(report.used(), report.allowed()));
    report.missing().stream()
        .limit(SHOWN)
        .forEach(one -> lines.add("missing  %s: %s".formatted(one.pod(), one.why())));
    if (report.missing().size() > SHOWN) {
      lines.add("missing  and %d more".formatted(report.missing().size() - SHOWN));
    }
    report.conditions().forEach(one -> lines.add("says     " + one));
    for (var restart : report.restarts().reversed()) {
      var cause = restart.cause();
      lines.add(
          "restart  to attempt %d, %s ago: %s%s%s%s, %s%s"
              .formatted(
                  restart.attempt(),
                  age(Duration.between(restart.startedAt(), now)),
                  cause.kind().wireName(),
                  cause.pod().isEmpty() ? "" : " " + cause.pod(),
                  cause.container().isEmpty() ? "" : " " + cause.container(),
                  cause.exitCode().isPresent() ? " exit " + cause.exitCode().getAsInt() : "",
                  took(restart),
                  restart.counted() ? "" : ", not counted"));
    }
    return lines;
  }

  /** As long as nobody has told its cost, what the controller saw of it. */
  private static String took(InPlaceRestart restart) {
    var lifted = restart.liftedAt();
    if (lifted == null) {
      return "under way";
    }
    var cost = restart.cost();
    if (cost == null) {
      return "took " + seconds(Duration.between(restart.startedAt(), lifted));
    }
    String redone = cost.redone() > 0 ? ", %d steps done again".formatted(cost.redone()) : "";
    return "down " + seconds(cost.down()) + redone;
  }

  private static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.2f s", time.toMillis() / 1000.0);
  }

  /** As kubectl prints ages. */
  static String age(Duration time) {
    long seconds = Math.max(0, time.toSeconds());
    if (seconds < 120) {
      return seconds + "s";
    }
    if (seconds < 2 * 3600) {
      return seconds / 60 + "m";
    }
    return seconds < 2 * 86_400 ? seconds / 3600 + "h" : seconds / 86_400 + "d";
  }
}
