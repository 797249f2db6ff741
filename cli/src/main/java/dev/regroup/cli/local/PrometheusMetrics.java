package dev.regroup.cli.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;

/**
 * The figures of one cluster, kept by the Prometheus library; the only class that knows it. A
 * family is made when it is first used, and those of the JVM when somebody first looks: they are
 * dear, and most clusters are never scraped.
 */
final class PrometheusMetrics implements Metrics {

  /** From half a millisecond to a minute. */
  private static final double[] SECONDS = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60
  };

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final Map<MetricFamily, Counter> counters = new ConcurrentHashMap<>();
  private final Map<MetricFamily, Histogram> histograms = new ConcurrentHashMap<>();
  private final Map<MetricFamily, Map<List<String>, DoubleSupplier>> gauges =
      new ConcurrentHashMap<>();
  private boolean jvm; // guarded by this

  @Override
  public void count(MetricFamily counter, String... labels) {
    counters.computeIfAbsent(counter, this::counter).labelValues(labels).inc();
  }

  @Override
  public void took(MetricFamily histogram, Duration time, String... labels) {
    histograms
        .computeIfAbsent(histogram, this::histogram)
        .labelValues(labels)
        .observe(time.toNanos() / 1e9);
  }

  @Override
  public void gauge(MetricFamily gauge, DoubleSupplier value, String... labels) {
    gauges.computeIfAbsent(gauge, this::gauge).put(List.of(labels), value);
  }

  @Override
  public Optional<String> page() {
    registerJvm();
    var page = new ByteArrayOutputStream();
    try {
      PrometheusTextFormatWriter.create()
          .write(page, registry.scrape(), EscapingScheme.UNDERSCORE_ESCAPING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Optional.of(page.toString(UTF_8));
  }

  private synchronized void registerJvm() {
    if (!jvm) {
      JvmMetrics.builder().register(registry);
      jvm = true;
    }
  }

  private Counter counter(MetricFamily family) {
    return Counter.builder()
        .name(family.name())
        .help(family.help())
        .labelNames(names(family))
        .withoutExemplars()
        .register(registry);
  }

  private Histogram histogram(MetricFamily family) {
    return Histogram.builder()
        .name(family.name())
        .help(family.help())
        .labelNames(names(family))
        .classicOnly()
        .classicUpperBounds(SECONDS)
        .withoutExemplars()
        .register(registry);
  }

  private Map<List<String>, DoubleSupplier> gauge(MetricFamily family) {
    var values = new ConcurrentHashMap<List<String>, DoubleSupplier>();
    GaugeWithCallback.builder()
        .name(family.name())
        .help(family.help())
        .labelNames(names(family))
        .callback(told ->
            values.forEach(
                (labels, value) -> told.call(value.getAsDouble(), labels.toArray(String[]::new))))
        .register(registry);
    return values;
  }

  private static String[] names(MetricFamily family) {
    return family.labels().toArray(String[]::new);
  }
}
