package dev.regroup.node.container;

import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import dev.regroup.node.probe.ProbeVerdict;
import dev.regroup.rules.pod.ProbeKind;
import java.time.Duration;

/** Counts and times runs of probes (OBS-03). */
record ProbeFigures(Metrics metrics) {

  static final MetricFamily RUNS =
      MetricFamily.counter(
          "prober_probe_total", "Runs of probes by what they said", "probe_type", "result");

  static final MetricFamily TIMES =
      MetricFamily.histogram(
          "prober_probe_duration_seconds", "Time of one run of a probe", "probe_type");

  void judged(ProbeKind kind, ProbeVerdict verdict, Duration took) {
    metrics.count(RUNS, type(kind), result(verdict));
    metrics.took(TIMES, took, type(kind));
  }

  private static String type(ProbeKind kind) {
    return switch (kind) {
      case STARTUP -> "Startup";
      case LIVENESS -> "Liveness";
      case READINESS -> "Readiness";
    };
  }

  private static String result(ProbeVerdict verdict) {
    return switch (verdict) {
      case ProbeVerdict.Success _, ProbeVerdict.Warning _ -> "successful";
      case ProbeVerdict.Failure _ -> "failed";
      case ProbeVerdict.Unable _ -> "unknown";
    };
  }
}
