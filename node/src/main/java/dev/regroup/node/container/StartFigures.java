package dev.regroup.node.container;

import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import dev.regroup.rules.pod.ContainerKind;

/** Counts tries to start containers, and those that failed (OBS-02). */
record StartFigures(Metrics metrics) {

  static final MetricFamily STARTED =
      MetricFamily.counter(
          "kubelet_started_containers_total", "Tries to start a container", "container_type");

  static final MetricFamily ERRORS =
      MetricFamily.counter(
          "kubelet_started_containers_errors_total",
          "Tries to start a container that failed",
          "container_type",
          "code");

  void tried(ContainerKind kind) {
    metrics.count(STARTED, type(kind));
  }

  /** {@code code} is the reason that the container's status tells. */
  void failed(ContainerKind kind, String code) {
    metrics.count(ERRORS, type(kind), code);
  }

  private static String type(ContainerKind kind) {
    return switch (kind) {
      case INIT, SIDECAR -> "init_container";
      case REGULAR -> "container";
      case EPHEMERAL -> "ephemeral_container";
    };
  }
}
