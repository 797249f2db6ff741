package dev.regroup.bench;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One line of the result.
 *
 * @param name stable: limits refer to it
 * @param floor what the bare machine needs for the same
 * @param stages medians along the way in milliseconds since the beginning, in order; may be empty
 */
record Figure(String name, Unit unit, Samples measured, Samples floor, Map<String, Double> stages) {

  enum Unit {
    MILLIS("ms"),
    MEGABYTES("MB"),
    PER_SECOND("/s");

    private final String text;

    Unit(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  Figure {
    stages = Collections.unmodifiableMap(new LinkedHashMap<>(stages));
  }

  Figure(String name, Unit unit, Samples measured, Samples floor) {
    this(name, unit, measured, floor, Map.of());
  }

  /** How many times the floor this costs, by medians. Smaller is better, whatever the unit. */
  double ratio() {
    return times(measured.p50(), floor.p50());
  }

  /** The same where it is slowest; for rates the tail is the smallest, so there is none. */
  double tailRatio() {
    return switch (unit) {
      case MILLIS, MEGABYTES -> measured.p99() / floor.p99();
      case PER_SECOND -> ratio();
    };
  }

  /** The best round beside the floor's median: what is left when others disturbed the rest. */
  double bestRatio() {
    return switch (unit) {
      case MILLIS, MEGABYTES -> times(measured.sorted().getFirst(), floor.p50());
      case PER_SECOND -> times(measured.sorted().getLast(), floor.p50());
    };
  }

  private double times(double value, double least) {
    return switch (unit) {
      case MILLIS, MEGABYTES -> value / least;
      case PER_SECOND -> least / value;
    };
  }
}
