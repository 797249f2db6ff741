package dev.regroup.cli.figure;

import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The figures of one program, in plain adders. The library that writes the page is loaded when
 * somebody first looks: most clusters are never scraped, and a start should not pay for it.
 */
public final class FigureKeeper implements Metrics {

  /** Upper bounds of the buckets of every histogram: from half a millisecond to a minute. */
  static final double[] SECONDS = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60
  };

  /** How often each bucket was met, the one above all bounds last; and the sum of all times. */
  record Times(List<LongAdder> buckets, DoubleAdder sum) {
    static Times none() {
      return new Times(
          Stream.generate(LongAdder::new).limit(SECONDS.length + 1L).toList(), new DoubleAdder());
    }

    void add(double seconds) {
      int at = Arrays.binarySearch(SECONDS, seconds);
      buckets.get(at < 0 ? -at - 1 : at).increment(); // a bound belongs to its bucket
      sum.add(seconds);
    }
  }

  // by family, then by the values of its labels
  private final Map<MetricFamily, Map<List<String>, DoubleAdder>> counters =
      new ConcurrentHashMap<>();
  private final Map<MetricFamily, Map<List<String>, Times>> histograms = new ConcurrentHashMap<>();
  private final Map<MetricFamily, Map<List<String>, DoubleSupplier>> gauges =
      new ConcurrentHashMap<>();
  private final Map<MetricFamily, Supplier<Map<List<String>, Double>>> asked =
      new ConcurrentHashMap<>();

  @Override
  public void add(MetricFamily family, double value, String... labels) {
    switch (family.kind()) {
      case COUNTER ->
          series(counters, family)
              .computeIfAbsent(List.of(labels), _ -> new DoubleAdder())
              .add(value);
      case HISTOGRAM ->
          series(histograms, family).computeIfAbsent(List.of(labels), _ -> Times.none()).add(value);
      case GAUGE -> throw new IllegalArgumentException(family.name() + ": is asked, not told");
    }
  }

  @Override
  public void gauge(MetricFamily gauge, DoubleSupplier value, String... labels) {
    series(gauges, gauge).put(List.of(labels), value);
  }

  @Override
  public void series(MetricFamily family, Supplier<Map<List<String>, Double>> values) {
    if (family.kind() == MetricFamily.Kind.HISTOGRAM) {
      throw new IllegalArgumentException(family.name() + ": is told, not asked");
    }
    asked.put(family, values);
  }

  private static <T> Map<List<String>, T> series(
      Map<MetricFamily, Map<List<String>, T>> families, MetricFamily family) {
    return families.computeIfAbsent(family, _ -> new ConcurrentHashMap<>());
  }

  @Override
  public Optional<String> page() {
    return Optional.of(MetricsText.of(counters, histograms, gauges, asked));
  }
}
