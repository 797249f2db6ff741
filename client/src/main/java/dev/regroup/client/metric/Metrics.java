package dev.regroup.client.metric;

import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * Keeps figures of parts. Called from any thread, often, and returns at once; the values of the
 * labels come in the order of the family's.
 */
public interface Metrics {

  /** Keeps nothing. */
  Metrics NONE =
      new Metrics() {
        @Override
        public void count(MetricFamily counter, String... labels) {}

        @Override
        public void took(MetricFamily histogram, Duration time, String... labels) {}

        @Override
        public void gauge(MetricFamily gauge, DoubleSupplier value, String... labels) {}

        @Override
        public Optional<String> page() {
          return Optional.empty();
        }
      };

  /** One more. */
  void count(MetricFamily counter, String... labels);

  void took(MetricFamily histogram, Duration time, String... labels);

  /** Has this asked whenever somebody looks; a later one for the same labels replaces it. */
  void gauge(MetricFamily gauge, DoubleSupplier value, String... labels);

  /** All figures as a scraper reads them (text format 0.0.4), or none when nobody keeps them. */
  Optional<String> page();
}
