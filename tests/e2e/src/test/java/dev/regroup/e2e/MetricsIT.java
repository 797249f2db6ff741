package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static dev.regroup.e2e.Workers.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.Request;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a scraper reads after a real group restart (OBS-02, OBS-04 to OBS-07, JB-97, JS-97b). */
class MetricsIT {

  private static final int WORKERS = 4;

  @TempDir static Path folder;

  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void a_group_restart_is_counted_with_its_stages() throws Exception {
    var kube = cluster.kube();
    var group = new Workers(folder, "counted", WORKERS);
    kube.create(JOB_SETS, group.manifest(1_000_000));
    group.awaitRunning(kube, 0);
    group.exit(0, 1, 1);
    group.awaitRunning(kube, 1);

    var page = kube.awaitText("/metrics", "", MetricsIT::isTold, LIMIT);

    assertThat(value(page, "jobset_in_place_restarts_total\\{cause=\"[A-Za-z]+\"}")).isEqualTo(1);
    assertThat(count(page, "jobset_in_place_restart_duration_seconds", "phase=\"order_to_lift\""))
        .isEqualTo(1);
    assertThat(value(page, "container_restarts_total\\{cause=\"restart_all\"}")).isPositive();
    assertThat(value(page, "container_restarts_total\\{cause=\"group\"}"))
        .isGreaterThanOrEqualTo(WORKERS - 1);
    assertThat(page).doesNotContain("cause=\"unexpected\"");
    assertThat(value(page, "inplace_pod_restarts_total\\{result=\"completed\"}"))
        .isEqualTo(WORKERS);
    assertThat(value(page, "inplace_pod_restarts_in_progress")).isZero();
    for (var phase :
        List.of(
            "termination", "backoff", "barrier", "exit_to_first_start", "exit_to_all_started")) {
      assertThat(count(page, "inplace_pod_restart_duration_seconds", "phase=\"" + phase + "\""))
          .as(phase)
          .isGreaterThanOrEqualTo(WORKERS);
    }
    assertThat(
            value(
                page,
                "apiserver_request_total\\{code=\"201\","
                    + "group=\"jobset.x-k8s.io\",resource=\"jobsets\","
                    + "subresource=\"\",verb=\"CREATE\",version=\"v1alpha2\"}"))
        .isEqualTo(1);
    assertThat(count(page, "store_sync_duration_seconds", "")).isPositive();
    assertThat(count(page, "controller_runtime_reconcile_time_seconds", "controller=\"jobset\""))
        .isPositive();
    assertThat(count(page, "workqueue_queue_duration_seconds", "name=\"jobset\"")).isPositive();
    assertThat(value(page, "workqueue_depth\\{name=\"jobset\"}")).isNotNegative();
    assertThat(count(page, "informer_event_duration_seconds", "resource=\"pods\"")).isPositive();
    assertThat(value(page, "kubelet_started_containers_total\\{container_type=\"container\"}"))
        .isGreaterThanOrEqualTo(2 * WORKERS);
    assertThat(
            value(page, "container_restart_rule_matches_total\\{action=\"RestartAllContainers\"}"))
        .isEqualTo(1);
    assertThat(
            page.lines()
                .filter(line -> line.startsWith("kube_pod_container_status_restarts_total{"))
                .filter(line -> line.contains("pod=\"counted-")))
        .hasSize(WORKERS)
        .allMatch(line -> line.endsWith("} 1.0"));
    assertThat(value(page, "jobset_in_place_restart_pods_at_barrier")).isZero();
    assertThat(
            value(
                page,
                "job_controller_job_pods_creation_total\\{reason=\"new\",status=\"succeeded\"}"))
        .isEqualTo(WORKERS);
    assertThat(page).contains("# TYPE apiserver_request_duration_seconds histogram");
    assertThat(page).contains("jvm_memory_used_bytes");
  }

  /** Who did something counts it a little later. */
  private static boolean isTold(String page) {
    return page.contains("inplace_pod_restarts_total{result=\"completed\"} " + WORKERS + ".0\n")
        && page.contains("_count{phase=\"order_to_lift\"} 1\n")
        && page.lines()
                .filter(line -> line.startsWith("kube_pod_container_status_restarts_total{"))
                .filter(line -> line.contains("pod=\"counted-") && line.endsWith("} 1.0"))
                .count()
            == WORKERS
        && page.contains("\ninplace_pod_restarts_in_progress 0.0\n")
        && page.contains("\njobset_in_place_restart_pods_at_barrier 0.0\n");
  }

  @Test
  void nonsense_makes_no_series() throws Exception {
    var kube = cluster.kube();

    kube.transport().send(Request.get("/apis/nonsense.example/v7/things", ""));

    assertThat(kube.text("/metrics", "")).doesNotContain("nonsense");
  }

  private static double count(String page, String name, String labels) {
    var set = labels.isEmpty() ? "" : "\\{" + labels + "}";
    return value(page, name + "_count" + set);
  }

  private static double value(String page, String series) {
    var line = Pattern.compile("(?m)^" + series + " (\\S+)$").matcher(page);
    assertThat(line.find()).as(series + " in\n" + page).isTrue();
    return Double.parseDouble(line.group(1));
  }
}
