package dev.regroup.client.metric;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * Keeps figures of parts. Called from any thread, often, and returns at once; the values of the
 * labels come in the order of the family's.
 */
@FunctionalInterface
public interface Metrics {

  /** Keeps nothing. */
  Metrics NONE = (_, _, _) -> {};

  /** So many more of a counter, or one more time of a histogram, in seconds. */
  void add(MetricFamily family, double value, String... labels);

  /** One more. */
  default void count(MetricFamily counter, String... labels) {
    add(counter, 1, labels);
  }

  /** One more time; a clock that went back makes it zero, never negative. */
  default void took(MetricFamily histogram, Duration time, String... labels) {
    add(histogram, Math.max(0, time.toNanos()) / 1e9, labels);
  }

  /** Has this asked whenever somebody looks; a later one for the same labels replaces it. */
  default void gauge(MetricFamily gauge, DoubleSupplier value, String... labels) {}

  /**
   * Has all series of a counter or gauge asked whenever somebody looks, by the values of their
   * labels; what is not among them then is gone from the page.
   */
  default void series(MetricFamily family, Supplier<Map<List<String>, Double>> values) {}

  /** All figures as a scraper reads them (text format 0.0.4), or none when nobody keeps them. */
  default Optional<String> page() {
    return Optional.empty();
  }
}
