package dev.regroup.client.queue;

import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and times the passes of controllers, under the names Kubernetes and its controllers use
 * (JS-97a), and names every slow one in a log line: what takes long is found by looking, not by
 * guessing.
 */
public final class PassFigures implements PassObserver {

  static final Duration SLOW = Duration.ofMillis(50);

  static final MetricFamily WAITED =
      MetricFamily.histogram(
          "workqueue_queue_duration_seconds", "Time a key waited for a worker", "name");

  static final MetricFamily WAITING =
      MetricFamily.gauge("workqueue_depth", "Keys that wait for a worker", "name");

  static final MetricFamily TOOK =
      MetricFamily.histogram(
          "controller_runtime_reconcile_time_seconds", "Time of a pass", "controller");

  static final MetricFamily ERRORS =
      MetricFamily.counter(
          "controller_runtime_reconcile_errors_total", "Passes that failed", "controller");

  static final MetricFamily SLOW_PASSES =
      MetricFamily.counter(
          "controller_slow_passes_total", "Passes of more than 50 ms", "controller");

  private static final Logger LOG = LoggerFactory.getLogger(PassFigures.class);

  private final Metrics metrics;
  private final Map<String, AtomicInteger> waiting = new ConcurrentHashMap<>(); // by queue

  public PassFigures(Metrics metrics) {
    this.metrics = metrics;
  }

  @Override
  public void passed(Pass pass) {
    waiting.computeIfAbsent(pass.queue(), this::depth).set(pass.waiting());
    metrics.took(WAITED, pass.waited(), pass.queue());
    metrics.took(TOOK, pass.took(), pass.queue());
    if (pass.end() == End.FAILED) {
      metrics.count(ERRORS, pass.queue());
    }
    if (pass.took().compareTo(SLOW) > 0) {
      metrics.count(SLOW_PASSES, pass.queue());
      LOG.info(
          "{}: a pass over {} took {} ms, after {} ms in the queue",
          pass.queue(),
          pass.key(),
          pass.took().toMillis(),
          pass.waited().toMillis());
    }
  }

  private AtomicInteger depth(String queue) {
    metrics.gauge(WAITING, () -> waiting(queue), queue);
    return new AtomicInteger();
  }

  int waiting(String queue) {
    var depth = waiting.get(queue);
    return depth == null ? 0 : depth.get();
  }
}
