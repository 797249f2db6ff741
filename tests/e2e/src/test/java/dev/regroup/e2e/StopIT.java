package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What stays of a cluster that is stopped with Ctrl-C or SIGTERM: what runs, and nothing else. */
class StopIT {

  private static final Duration STOP = Duration.ofSeconds(60);

  @TempDir Path folder;

  @BeforeAll
  static void requireRoot() throws Exception {
    Root.require();
  }

  @Test
  void the_network_goes_with_a_cluster_without_pods_and_stays_with_one() throws Exception {
    Path data = folder.resolve("data");
    var before = Machine.now(data.toString());
    try (var cluster = Cluster.up(folder)) {
      var empty = Machine.madeBy(data);

      stop(cluster.program());

      assertThat(cluster.program().output()).endsWith("regroup stopped");
      before.assertNothingIsLeft(data.toString(), empty);

      cluster.start();
      cluster.kube().create(PODS, pod(data));
      cluster
          .kube()
          .awaitOne(PODS, "p", pod -> pod.at("/status/phase").asText().equals("Running"), LIMIT);
      var used = Machine.madeBy(data);

      stop(cluster.program());

      assertThat(cluster.program().output()).contains("1 pod keeps running");
      assertThat(Machine.madeBy(data)).isEqualTo(used);
      assertThat(Machine.now("lasts " + data).processes()).as("the container").isNotEmpty();
    }
  }

  /** Its one container can be told from others by the directory in its arguments. */
  private static String pod(Path data) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: p}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - {name: c, image: host, command: [sh, -c, "while sleep 1; do :; done", lasts, "%s"]}
    """
        .formatted(data);
  }

  private static void stop(Program program) throws InterruptedException {
    program.terminate();
    program.awaitExit(STOP);
  }
}
