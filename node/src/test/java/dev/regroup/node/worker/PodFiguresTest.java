package dev.regroup.node.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.ContainerKey;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Counts of what happens to a pod (node.md section 8). */
class PodFiguresTest extends OnePod {

  /** OBS-02. */
  @Test
  void starts_are_counted_and_so_is_why_they_failed() throws Exception {
    var absent =
        container("b", "sleep", "")
            .replace("\"image\":", "\"imagePullPolicy\":\"Never\",\"image\":");
    start(pod("Never", "", container("a", "sleep", ""), absent));
    await(s -> waiting(s, "b").equals("ErrImageNeverPull"));

    assertThat(figures)
        .startsWith(
            "kubelet_started_containers_total [container]",
            "kubelet_started_containers_total [container]",
            "kubelet_started_containers_errors_total [container, ErrImageNeverPull]");
  }

  /** OBS-04, also by the next node: it does not count again what the status tells. */
  @Test
  void an_exit_that_a_rule_decides_is_counted_once() throws Exception {
    var pod = pod("Never", RESTART_ALL_ON_42, container("a", "sleep", ""));
    start(pod);
    await(s -> condition(s, "Ready").equals("True"));

    runtime.exit(new ContainerKey(UID, "a", 0), 42);
    await(s -> count(s, "a") == 1 && condition(s, "Ready").equals("True"));
    runtime.exit(new ContainerKey(UID, "a", 1), 7); // no rule knows it
    await(s -> s.path("phase").asText().equals("Failed"));
    stopNode();
    start(withStatus(pod, latest()));
    await(s -> s.path("phase").asText().equals("Failed"));

    assertThat(figures)
        .filteredOn(figure -> figure.startsWith("container_restart_rule_matches_total"))
        .containsExactly("container_restart_rule_matches_total [RestartAllContainers]");
  }

  /** OBS-04. */
  @Test
  void a_pod_that_a_container_ends_is_counted_by_its_phase() throws Exception {
    start(
        pod(
            "Never",
            "\"lifecycle\":{\"onCompletion\":\"TerminatePod\"},",
            container("a", "sleep", ""),
            container("b", "sleep", "")));
    await(s -> condition(s, "Ready").equals("True"));

    runtime.exit(new ContainerKey(UID, "a", 0), 3);
    await(s -> s.path("phase").asText().equals("Failed"));

    assertThat(figures)
        .filteredOn(figure -> figure.startsWith("pod_terminations"))
        .containsExactly("pod_terminations_on_completion_total [Failed]");
  }

  /** OBS-03. */
  @Test
  void runs_of_probes_are_counted_by_what_they_said() throws Exception {
    var code = new AtomicInteger(1);
    runtime.onRun((_, _) -> OptionalInt.of(code.get()));
    start(
        pod(
            "Never",
            "\"readinessProbe\":{\"exec\":{\"command\":[\"x\"]},\"periodSeconds\":1},",
            container("a", "sleep", "")));
    awaitRequest(sent -> sent.body().path("message").asText().startsWith("Readiness probe failed"));
    code.set(0);
    await(s -> condition(s, "Ready").equals("True"));

    assertThat(figures)
        .contains(
            "prober_probe_total [Readiness, failed]",
            "prober_probe_total [Readiness, successful]",
            "prober_probe_duration_seconds [Readiness]");
  }
}
