package dev.regroup.node.worker;

import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.PodSpec.PodId;
import dev.regroup.rules.pod.PodStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * How often the containers of each pod were restarted, as their statuses say it (OBS-05): the only
 * figures with names of pods. They are asked for when somebody looks, and go with the pod.
 */
public final class RestartCountSeries {

  static final MetricFamily CONTAINERS =
      family("kube_pod_container_status_restarts_total", "Restarts of a container");

  static final MetricFamily INIT_CONTAINERS =
      family("kube_pod_init_container_status_restarts_total", "Restarts of an init container");

  private RestartCountSeries() {}

  /** {@code pods} are those there are now, each with its newest status. */
  public static void of(Supplier<Map<PodId, PodStatus>> pods, Metrics metrics) {
    metrics.series(CONTAINERS, () -> counts(pods.get(), kind -> kind == ContainerKind.REGULAR));
    metrics.series(INIT_CONTAINERS, () -> counts(pods.get(), ContainerKind::isInitEntry));
  }

  private static Map<List<String>, Double> counts(
      Map<PodId, PodStatus> pods, Predicate<ContainerKind> kinds) {
    Map<List<String>, Double> counts = new HashMap<>();
    pods.forEach((pod, status) -> {
      for (ContainerStatus one : status.containers()) {
        if (kinds.test(one.kind())) {
          counts.put(
              List.of(pod.namespace(), pod.name(), pod.uid(), one.name()),
              (double) one.restartCount());
        }
      }
    });
    return counts;
  }

  private static MetricFamily family(String name, String help) {
    return MetricFamily.counter(name, help, "namespace", "pod", "uid", "container");
  }
}
