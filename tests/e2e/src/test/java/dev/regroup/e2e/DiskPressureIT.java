package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disk below everything is full: the node says so, pods can go, and later all goes on. */
class DiskPressureIT {

  private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
  private static final int MOST = 2_000;

  @TempDir Path folder;
  private Path disk;
  private Path shared;

  @BeforeEach
  void mount() throws Exception {
    Root.require();
    shared = Files.createDirectory(folder.resolve("shared"));
    disk = Files.createDirectory(folder.resolve("data"));
    run("mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", disk.toString());
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", disk.toString());
  }

  @Test
  void a_full_disk_is_told_by_the_node_and_costs_no_pod() throws Exception {
    try (var cluster = Cluster.up(folder)) {
      var kube = cluster.kube();
      create(kube, "goes");
      create(kube, "stays");
      Fifo.await(fifo("goes", 0), LIMIT);
      Fifo.await(fifo("stays", 0), LIMIT);
      running(kube, "goes", 0);
      running(kube, "stays", 0);
      Path ballast = fillDisk(kube);

      awaitPressure(kube, "True");
      assertThat(new String(post(kube, "refused").body(), UTF_8)).contains("the disk is full");
      kube.delete(PODS + "/goes", "gracePeriodSeconds=1");
      kube.awaitGone(PODS, "fieldSelector=metadata.name%3Dgoes", LIMIT);
      running(kube, "stays", 0);

      Files.delete(ballast);

      awaitPressure(kube, "False");
      create(kube, "comes");
      Fifo.await(fifo("comes", 0), LIMIT);
      running(kube, "comes", 0);
      Fifo.write(fifo("stays", 0), "3");
      Fifo.await(fifo("stays", 1), LIMIT);
      running(kube, "stays", 1);
      assertThat(kube.text("/readyz", "")).isEqualTo("ok");
    }
  }

  /** Ends with the code it is told; each run waits at a FIFO of its own. */
  private void create(Kube kube, String name) throws Exception {
    kube.create(
        PODS,
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: %1$s}
        spec:
          restartPolicy: Always
          containers:
          - name: main
            image: host
            workingDir: %2$s
            command: [sh, -c, "n=0; while [ -e %1$s-$n ]; do n=$((n + 1)); done; %3$s; exit $code"]
            volumeMounts: [{name: shared, mountPath: %2$s}]
          volumes: [{name: shared, hostPath: {path: %2$s}}]
        """
            .formatted(name, shared, Fifo.read(name + "-$n")));
  }

  private Path fifo(String name, int run) {
    return shared.resolve(name + "-" + run);
  }

  private static void running(Kube kube, String name, int restarts) throws Exception {
    kube.awaitOne(
        PODS, name, pod -> Workers.running(pod) && Workers.restarts(pod) == restarts, LIMIT);
  }

  private static void awaitPressure(Kube kube, String status) throws Exception {
    kube.await(
        "/api/v1/nodes",
        "",
        nodes ->
            nodes.size() == 1
                && nodes.values().stream().allMatch(node -> pressure(node).equals(status)),
        LIMIT);
  }

  private static String pressure(JsonNode node) {
    return Kube.condition(node, "DiskPressure").path("status").asText();
  }

  /** First the rest of the disk, then what the store had in reserve. */
  private Path fillDisk(Kube kube) throws Exception {
    Path ballast = disk.resolve("ballast");
    try (OutputStream out = Files.newOutputStream(ballast)) {
      for (int i = 0; i < 128; i++) {
        out.write(new byte[1 << 20]);
      }
      throw new AssertionError("the disk is not small");
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("No space left");
    }
    for (int written = 0; written < MOST; written++) {
      if (post(kube, "m" + written).status() == 503) {
        return ballast;
      }
    }
    throw new AssertionError("the disk is never full");
  }

  private static Response post(Kube kube, String name) throws Exception {
    String map =
        "{\"metadata\":{\"name\":\"%s\"},\"data\":{\"x\":\"%s\"}}"
            .formatted(name, "x".repeat(5_000));
    return kube.transport()
        .send(Request.of("POST", CONFIG_MAPS, "application/json", map.getBytes(UTF_8)));
  }

  private static void run(String... command) throws Exception {
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(String.join(" ", command) + ": " + said).isZero();
  }
}
