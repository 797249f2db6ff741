package dev.regroup.control;

import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;

/** Figures by name and labels, as {@code jobs_total [a, b]}. */
public final class SeenFigures implements Metrics {

  private final Map<String, Double> told = new ConcurrentHashMap<>();
  private final Map<String, DoubleSupplier> asked = new ConcurrentHashMap<>();

  @Override
  public void add(MetricFamily family, double value, String... labels) {
    if (family.kind() == MetricFamily.Kind.COUNTER) {
      told.merge(family.name() + " " + List.of(labels), value, Double::sum);
    }
  }

  @Override
  public void gauge(MetricFamily gauge, DoubleSupplier value, String... labels) {
    asked.put(gauge.name() + " " + List.of(labels), value);
  }

  /** The counters that begin with this word. */
  public Map<String, Double> counters(String prefix) {
    var some = new TreeMap<>(told);
    some.keySet().removeIf(name -> !name.startsWith(prefix));
    return some;
  }

  public double gauge(String name) {
    return asked.get(name + " []").getAsDouble();
  }
}
