package dev.regroup.cli.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.rules.Stages;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Two reports side by side, as a tree: every figure is one of theirs or a mean of them. Pure. */
final class Comparison {

  static final String FORMAT = "regroup.dev/comparison";
  static final int VERSION = 1;

  /** As a restart passes them. */
  static final List<String> ORDER =
      Arrays.stream(Stages.Moment.values()).map(Stages.Moment::words).toList();

  private Comparison() {}

  static ObjectNode tree(Map<Strategy, ObjectNode> reports) {
    var tree = Wire.object().put("format", FORMAT).put("version", VERSION);
    var runs = tree.putArray("runs");
    reports.forEach((strategy, report) -> run(runs.addObject(), strategy, report));
    return tree;
  }

  private static void run(ObjectNode tree, Strategy strategy, JsonNode report) {
    tree.put("restartStrategy", strategy.wireName());
    for (String field : new String[] {"result", "seconds"}) {
      tree.set(field, report.path(field));
    }
    if (report.has("goodput")) {
      tree.set("goodput", report.path("goodput"));
    }
    var restarts = report.path("restarts");
    int count = restarts.size();
    tree.put("restarts", count + report.path("forgotten").asInt());
    double down = 0;
    long redone = 0;
    boolean toldSteps = false;
    var stages = new TreeMap<String, Double>(Comparator.comparingInt(ORDER::indexOf));
    for (var restart : restarts) {
      down += restart.path("downSeconds").asDouble();
      redone += restart.path("redoneSteps").asLong();
      toldSteps |= restart.has("redoneSteps");
      for (var stage : restart.path("stages")) {
        stages.merge(stage.path("until").asText(), stage.path("seconds").asDouble(), Double::sum);
      }
    }
    tree.put("downSeconds", rounded(down));
    if (count > 0) {
      tree.put("downSecondsPerRestart", rounded(down / count));
    }
    if (toldSteps) {
      tree.put("redoneSteps", redone);
    }
    var list = tree.putArray("stagesPerRestart");
    stages.forEach((until, seconds) ->
        list.addObject().put("until", until).put("seconds", rounded(seconds / count)));
  }

  /** To the millisecond. */
  private static double rounded(double seconds) {
    return Math.round(seconds * 1e3) / 1e3;
  }
}
