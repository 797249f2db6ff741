package dev.regroup.client.metric;

import java.util.List;

/**
 * A figure with a name, one series per combination of labels. Counters end in {@code _total}, times
 * are in seconds, labels have few values: names of pods are none, unless the series go with the pod
 * ({@link Metrics#series}).
 */
public record MetricFamily(Kind kind, String name, String help, List<String> labels) {

  /** How a figure behaves. */
  public enum Kind {
    COUNTER,
    /** Of durations. */
    HISTOGRAM,
    /** Asked for when somebody looks. */
    GAUGE
  }

  public MetricFamily {
    labels = List.copyOf(labels);
    if (kind == Kind.COUNTER != name.endsWith("_total")) {
      throw new IllegalArgumentException(name + ": only counters end in _total");
    }
  }

  public static MetricFamily counter(String name, String help, String... labels) {
    return new MetricFamily(Kind.COUNTER, name, help, List.of(labels));
  }

  public static MetricFamily histogram(String name, String help, String... labels) {
    return new MetricFamily(Kind.HISTOGRAM, name, help, List.of(labels));
  }

  public static MetricFamily gauge(String name, String help, String... labels) {
    return new MetricFamily(Kind.GAUGE, name, help, List.of(labels));
  }
}
