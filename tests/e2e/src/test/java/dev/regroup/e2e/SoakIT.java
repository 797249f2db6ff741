package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Thousands of short lives: what the program holds afterwards is what it held after the first few.
 * {@code -Dsoak.cycles} and {@code -Dsoak.pods} make it longer.
 */
@Order(5)
class SoakIT {

  private static final int CYCLES = Integer.getInteger("soak.cycles", 120);
  private static final int PODS = Integer.getInteger("soak.pods", 80);

  private static final int GROUP = 4;
  private static final int AT_ONCE = 20;
  private static final Duration LIMIT = Duration.ofMinutes(8);
  private static final long MEBI = 1 << 20;

  /** What the store keeps for watches, of pods (32 MiB) and of events. */
  private static final long CHANGES = 50 * MEBI;

  /** Their records, some thousand, beside their bytes. */
  private static final long RECORDS = 6 * MEBI;

  private static final String JOB_SET =
      """
      apiVersion: jobset.x-k8s.io/v1alpha2
      kind: JobSet
      metadata: {name: soak}
      spec:
        failurePolicy: {maxRestarts: 1000000, restartStrategy: InPlaceRestart}
        replicatedJobs:
        - name: w
          template:
            spec:
              parallelism: %1$d
              completions: %1$d
              template:
                spec:
                  terminationGracePeriodSeconds: 1
                  containers:
                  - name: worker
                    image: host
                    command: [sh, -c, '[ $JOBSET_RESTART_ATTEMPT -ge %2$d ] || exit 1;
                      : >%3$s/$RANK; exec sleep 100000']
                    volumeMounts: [{name: done, mountPath: %3$s}, {name: own, mountPath: /own}]
                  volumes:
                  - {name: done, hostPath: {path: %3$s}}
                  - {name: own, emptyDir: {}}
      """;

  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: %1$s, labels: {batch: %2$s}}
      spec:
        restartPolicy: Never
        containers: [{name: main, image: host, command: ["true"]}]
      """;

  @TempDir Path folder;

  @Test
  void nothing_grows_with_cycles_and_pods() throws Exception {
    Root.require();
    Path data = folder.resolve("data");
    try (var cluster = Cluster.up(folder, Vitals.FIXED_HEAP)) {
      live(cluster.kube(), "warm-up", Math.max(100, CYCLES / 10), Math.max(60, PODS / 10));
      var before = Vitals.of(cluster.program(), data);
      System.out.println("soak: after the warm-up " + before);
      live(cluster.kube(), "soak", CYCLES, PODS);
      var after = Vitals.of(cluster.program(), data);
      System.out.printf("soak: after %d cycles and %d pods %s%n", CYCLES, PODS, after);

      assertThat(after.zombies()).as("zombies").isZero();
      assertThat(after.descriptors()).as("descriptors").isLessThan(before.descriptors() + 20);
      assertThat(after.threads()).as("threads").isLessThan(before.threads() + 10);
      assertThat(after.files()).as("files").isLessThan(before.files() + 20);
      assertThat(after.objects()).as("objects").isLessThan(before.objects() + RECORDS);
      assertThat(after.heap()).as("heap").isLessThan(before.heap() + CHANGES);
      assertThat(after.resident()).as("resident").isLessThan(before.resident() + 32 * MEBI);
    }
  }

  /** In a namespace of its own, which takes everything along. */
  private void live(Kube kube, String namespace, int cycles, int pods) throws Exception {
    kube.create(
        "/api/v1/namespaces",
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n".formatted(namespace));
    cycle(kube, namespace, cycles / GROUP);
    for (int first = 0; first < pods; first += AT_ONCE) {
      batch(kube, namespace, first, Math.min(pods, first + AT_ONCE));
    }
    kube.delete("/api/v1/namespaces/" + namespace, "");
    kube.awaitGone("/api/v1/namespaces", "fieldSelector=metadata.name%3D" + namespace, LIMIT);
  }

  /** Every worker of the group ends at once, again and again, before it is at this attempt. */
  private void cycle(Kube kube, String namespace, int attempts) throws Exception {
    Path done = Files.createDirectory(folder.resolve("done-" + namespace));
    kube.create(
        "/apis/jobset.x-k8s.io/v1alpha2/namespaces/%s/jobsets".formatted(namespace),
        JOB_SET.formatted(GROUP, attempts, done));
    for (int rank = 0; rank < GROUP; rank++) {
      Fifo.await(done.resolve("" + rank), LIMIT);
    }
  }

  private static void batch(Kube kube, String namespace, int from, int to) throws Exception {
    String path = "/api/v1/namespaces/%s/pods".formatted(namespace);
    for (int i = from; i < to; i++) {
      kube.create(path, POD.formatted("p" + i, "b" + from));
    }
    var all =
        kube.await(
            path,
            "labelSelector=batch%3Db" + from,
            found ->
                found.size() == to - from
                    && found.values().stream()
                        .allMatch(pod -> pod.at("/status/phase").asText().equals("Succeeded")),
            LIMIT);
    for (String name : all.keySet()) {
      kube.delete(path + "/" + name, "");
    }
    kube.awaitGone(path, "labelSelector=batch%3Db" + from, LIMIT);
  }
}
