package dev.regroup.cli.figure;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.client.metric.MetricFamily;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The page that a scraper reads: the figures of a cluster, and those of this JVM beside them. The
 * only class that knows the Prometheus library.
 */
final class MetricsText {

  private static final PrometheusRegistry JVM = jvm();

  private MetricsText() {}

  static String of(
      Map<MetricFamily, Map<List<String>, DoubleAdder>> counters,
      Map<MetricFamily, Map<List<String>, FigureKeeper.Times>> histograms,
      Map<MetricFamily, Map<List<String>, DoubleSupplier>> gauges,
      Map<MetricFamily, Supplier<Map<List<String>, Double>>> asked) {
    var all = new ArrayList<MetricSnapshot>();
    counters.forEach((family, series) -> all.add(counter(family, series, DoubleAdder::sum)));
    histograms.forEach((family, series) -> all.add(histogram(family, series)));
    gauges.forEach((family, series) -> all.add(gauge(family, series, DoubleSupplier::getAsDouble)));
    asked.forEach((family, series) ->
        all.add(
            family.kind() == MetricFamily.Kind.COUNTER
                ? counter(family, series.get(), Double::doubleValue)
                : gauge(family, series.get(), Double::doubleValue)));
    JVM.scrape().forEach(all::add);
    var page = new ByteArrayOutputStream();
    try {
      PrometheusTextFormatWriter.create()
          .write(page, new MetricSnapshots(all), EscapingScheme.UNDERSCORE_ESCAPING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return page.toString(UTF_8);
  }

  private static PrometheusRegistry jvm() {
    var registry = new PrometheusRegistry();
    JvmMetrics.builder().register(registry);
    return registry;
  }

  private static <T> MetricSnapshot counter(
      MetricFamily family, Map<List<String>, T> series, ToDoubleFunction<T> value) {
    var snapshot =
        CounterSnapshot.builder()
            .name(family.name().substring(0, family.name().length() - "_total".length()))
            .help(family.help());
    series.forEach((labels, one) ->
        snapshot.dataPoint(
            CounterDataPointSnapshot.builder()
                .labels(Labels.of(family.labels(), labels))
                .value(value.applyAsDouble(one))
                .build()));
    return snapshot.build();
  }

  private static MetricSnapshot histogram(
      MetricFamily family, Map<List<String>, FigureKeeper.Times> series) {
    double[] bounds = Arrays.copyOf(FigureKeeper.SECONDS, FigureKeeper.SECONDS.length + 1);
    bounds[FigureKeeper.SECONDS.length] = Double.POSITIVE_INFINITY;
    var snapshot = HistogramSnapshot.builder().name(family.name()).help(family.help());
    series.forEach((labels, times) ->
        snapshot.dataPoint(
            HistogramDataPointSnapshot.builder()
                .labels(Labels.of(family.labels(), labels))
                .classicHistogramBuckets(
                    ClassicHistogramBuckets.of(
                        bounds, times.buckets().stream().mapToLong(LongAdder::sum).toArray()))
                .sum(times.sum().sum())
                .build()));
    return snapshot.build();
  }

  private static <T> MetricSnapshot gauge(
      MetricFamily family, Map<List<String>, T> series, ToDoubleFunction<T> value) {
    var snapshot = GaugeSnapshot.builder().name(family.name()).help(family.help());
    series.forEach((labels, one) ->
        snapshot.dataPoint(
            GaugeDataPointSnapshot.builder()
                .labels(Labels.of(family.labels(), labels))
                .value(value.applyAsDouble(one))
                .build()));
    return snapshot.build();
  }
}
