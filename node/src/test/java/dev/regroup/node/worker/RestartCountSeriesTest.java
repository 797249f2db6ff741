package dev.regroup.node.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodSpec.PodId;
import dev.regroup.rules.pod.PodStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Restarts of each container of each pod (OBS-05). */
class RestartCountSeriesTest {

  private final Map<PodId, PodStatus> pods = new HashMap<>();
  private final Map<String, Supplier<Map<List<String>, Double>>> asked = new HashMap<>();

  /** OBS-05. */
  @Test
  void every_container_has_a_series_that_goes_with_its_pod() {
    RestartCountSeries.of(() -> pods, new Asked());
    var pod = new PodId("ns", "p", "u1");
    pods.put(
        pod,
        new PodStatus(
            Phase.RUNNING,
            "",
            "",
            List.of(),
            List.of(
                status("i", ContainerKind.INIT, 1),
                status("s", ContainerKind.SIDECAR, 2),
                status("c", ContainerKind.REGULAR, 3),
                status("e", ContainerKind.EPHEMERAL, 0)),
            OptionalInt.empty()));

    assertThat(page("kube_pod_container_status_restarts_total"))
        .containsExactly(Map.entry(List.of("ns", "p", "u1", "c"), 3.0));
    assertThat(page("kube_pod_init_container_status_restarts_total"))
        .containsOnly(
            Map.entry(List.of("ns", "p", "u1", "i"), 1.0),
            Map.entry(List.of("ns", "p", "u1", "s"), 2.0));

    pods.remove(pod);

    assertThat(page("kube_pod_container_status_restarts_total")).isEmpty();
    assertThat(page("kube_pod_init_container_status_restarts_total")).isEmpty();
  }

  private Map<List<String>, Double> page(String name) {
    return asked.get(name).get();
  }

  private static ContainerStatus status(String name, ContainerKind kind, int restarts) {
    var none = new ContainerState.None();
    return new ContainerStatus(name, kind, none, none, restarts, true, true, ContainerId.NONE, "");
  }

  private final class Asked implements Metrics {
    @Override
    public void add(MetricFamily family, double value, String... labels) {
      throw new AssertionError(family + " is asked, not told");
    }

    @Override
    public void series(MetricFamily family, Supplier<Map<List<String>, Double>> values) {
      assertThat(family.labels()).containsExactly("namespace", "pod", "uid", "container");
      asked.put(family.name(), values);
    }
  }
}
