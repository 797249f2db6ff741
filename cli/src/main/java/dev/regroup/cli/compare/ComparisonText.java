package dev.regroup.cli.compare;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.rules.Stages;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** A comparison as a table for people; nothing in it that the tree does not say. Pure. */
final class ComparisonText {

  private static final int LABEL = 30;
  private static final int CELL = 16;
  private static final String NONE = "-";

  private final JsonNode tree;
  private final List<String> lines = new ArrayList<>();

  private ComparisonText(JsonNode tree) {
    this.tree = tree;
  }

  static String of(JsonNode tree) {
    var text = new ComparisonText(tree);
    text.write();
    return String.join("\n", text.lines);
  }

  private void write() {
    row("", run -> run.path("restartStrategy").asText());
    row("result", run -> run.path("result").asText());
    row("wall time", run -> seconds(run.path("seconds")));
    row("goodput", run -> percent(run.path("goodput").path("ratio")));
    row("restarts", run -> run.path("restarts").asText());
    row("standing still, in all", run -> seconds(run.path("downSeconds")));
    row("standing still, each restart", run -> seconds(run.path("downSecondsPerRestart")));
    for (String stage : stages()) {
      row("  until " + stage, run -> stage(run, stage));
    }
    row("doing steps again", run -> seconds(run.path("goodput").path("redoingSeconds")));
    row("steps done twice", run -> number(run.path("redoneSteps")));
    if (StreamSupport.stream(tree.path("runs").spliterator(), false)
        .allMatch(run -> run.path("restarts").asInt() == 0)) {
      lines.add("nothing restarted (hurt the workers with --chaos 'kill worker 0 after 5s')");
    }
  }

  /** In the order they are passed; those that took no time nowhere are left out. */
  private Set<String> stages() {
    var names = new TreeSet<String>(Comparator.comparingInt(Comparison.ORDER::indexOf));
    for (var run : tree.path("runs")) {
      for (var stage : run.path("stagesPerRestart")) {
        if (stage.path("seconds").asDouble() >= 0.005) {
          names.add(stage.path("until").asText());
        }
      }
    }
    names.remove(Stages.Moment.CAUGHT_UP.words()); // it works then, if for the second time
    return names;
  }

  private static String stage(JsonNode run, String name) {
    return StreamSupport.stream(run.path("stagesPerRestart").spliterator(), false)
        .filter(stage -> stage.path("until").asText().equals(name))
        .map(stage -> seconds(stage.path("seconds")))
        .findFirst()
        .orElse(NONE);
  }

  private void row(String label, Function<JsonNode, String> cell) {
    lines.add(
        StreamSupport.stream(tree.path("runs").spliterator(), false)
            .map(run -> ("%" + CELL + "s").formatted(cell.apply(run)))
            .collect(Collectors.joining("", ("%-" + LABEL + "s").formatted(label), "")));
  }

  private static String seconds(JsonNode seconds) {
    return seconds.isNumber() ? String.format(Locale.ROOT, "%.2fs", seconds.asDouble()) : NONE;
  }

  private static String percent(JsonNode ratio) {
    return ratio.isNumber()
        ? String.format(Locale.ROOT, "%.1f%%", Math.floor(ratio.asDouble() * 1000) / 10)
        : NONE;
  }

  private static String number(JsonNode number) {
    return number.isNumber() ? number.asText() : NONE;
  }
}
