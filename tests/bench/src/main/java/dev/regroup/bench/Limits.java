package dev.regroup.bench;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Properties;

/**
 * How many times its floor a figure may cost: {@code name} for the median, {@code name.p99} for the
 * tail, each where there are samples enough to speak of one. With fewer the best one is judged: the
 * first rounds of a cold program say little, and others may use the machine. A figure without a
 * limit fails, so that nobody forgets it.
 */
final class Limits {

  /** Below, a disturbed round or two are the median. */
  private static final int ENOUGH_FOR_MEDIAN = 10;

  /** Below, the 99th percentile is just the worst sample. */
  private static final int ENOUGH_FOR_TAIL = 100;

  private final Properties values = new Properties();

  private Limits() {}

  static Limits read(Path file) throws IOException {
    var limits = new Limits();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      limits.values.load(reader);
    }
    return limits;
  }

  OptionalDouble of(String key) {
    String value = values.getProperty(key);
    return value == null
        ? OptionalDouble.empty()
        : OptionalDouble.of(Double.parseDouble(value.strip()));
  }

  /** What is above its limit, as sentences; empty when all is well. */
  List<String> broken(List<Figure> figures) {
    var problems = new ArrayList<String>();
    for (Figure figure : figures) {
      var limit = of(figure.name());
      double ratio =
          figure.measured().count() < ENOUGH_FOR_MEDIAN ? figure.bestRatio() : figure.ratio();
      if (limit.isEmpty()) {
        problems.add(figure.name() + ": has no limit (add one to limits.properties)");
      } else if (ratio > limit.getAsDouble()) {
        problems.add(sentence(figure.name(), ratio, limit.getAsDouble()));
      }
      var tail = of(figure.name() + ".p99");
      if (tail.isPresent()
          && figure.measured().count() >= ENOUGH_FOR_TAIL
          && figure.tailRatio() > tail.getAsDouble()) {
        problems.add(sentence(figure.name() + ".p99", figure.tailRatio(), tail.getAsDouble()));
      }
    }
    return problems;
  }

  private static String sentence(String name, double ratio, double limit) {
    return String.format(
        Locale.ROOT, "%s: %.1f times the floor, the limit is %.1f", name, ratio, limit);
  }
}
