package dev.regroup.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** The results for people and for programs. */
final class FigureReport {

  private static final String ROW = "%-28s %5s %10s %10s %10s %10s %7s %7s%n";

  private FigureReport() {}

  static String table(List<Figure> figures, Limits limits) {
    var text = new StringBuilder();
    text.append(
        String.format(
            ROW, "figure", "n", "p50", "p99", "floor p50", "floor p99", "ratio", "limit"));
    for (Figure figure : figures) {
      text.append(
          String.format(
              ROW,
              figure.name(),
              figure.measured().count(),
              value(figure.measured().p50(), figure.unit()),
              value(figure.measured().p99(), figure.unit()),
              value(figure.floor().p50(), figure.unit()),
              value(figure.floor().p99(), figure.unit()),
              number(figure.ratio()),
              limit(limits.of(figure.name()))));
    }
    for (Figure figure : figures) {
      if (!figure.stages().isEmpty()) {
        text.append(String.format("%n%s, median time since the beginning:%n", figure.name()));
        figure
            .stages()
            .forEach((stage, millis) ->
                text.append(String.format(Locale.ROOT, "  %-28s %8.1f ms%n", stage, millis)));
      }
    }
    return text.toString();
  }

  static ObjectNode json(List<Figure> figures, Limits limits) {
    var root = Wire.object();
    var machine = root.putObject("machine");
    machine.put("cores", Runtime.getRuntime().availableProcessors());
    machine.put("kernel", System.getProperty("os.version"));
    machine.put("arch", System.getProperty("os.arch"));
    machine.put("java", System.getProperty("java.vm.version"));
    var list = root.putArray("figures");
    for (Figure figure : figures) {
      var entry = list.addObject();
      entry.put("name", figure.name()).put("unit", figure.unit().text());
      entry.put("samples", figure.measured().count());
      entry.put("p50", figure.measured().p50()).put("p99", figure.measured().p99());
      entry.put("floorP50", figure.floor().p50()).put("floorP99", figure.floor().p99());
      entry.put("ratio", figure.ratio()).put("tailRatio", figure.tailRatio());
      limits.of(figure.name()).ifPresent(limit -> entry.put("limit", limit));
      if (!figure.stages().isEmpty()) {
        var stages = entry.putObject("stagesMillis");
        figure.stages().forEach(stages::put);
      }
    }
    return root;
  }

  private static String value(double value, Figure.Unit unit) {
    return number(value) + " " + unit.text();
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%.0f", value);
  }

  private static String limit(OptionalDouble limit) {
    return limit.isEmpty() ? "-" : number(limit.getAsDouble());
  }
}
