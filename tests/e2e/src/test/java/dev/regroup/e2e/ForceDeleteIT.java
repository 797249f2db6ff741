package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pods deleted without grace while they start, each a little later than the one before: nothing of
 * them stays. {@code -Dforce.pods} makes it longer.
 */
class ForceDeleteIT {

  private static final int PODS = Integer.getInteger("force.pods", 60);
  private static final int AT_ONCE = 3;
  private static final int LATEST = 50_000_000; // nanoseconds after the creation
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String PATH = "/api/v1/namespaces/default/pods";

  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: %s}
      spec:
        restartPolicy: Never
        containers:
        - {name: main, image: host, command: [sleep, "100000"]}
        - {name: side, image: host, command: [sleep, "100000"]}
        volumes: [{name: memory, emptyDir: {medium: Memory}}]
      """;

  @TempDir Path folder;

  @Test
  void a_pod_deleted_while_it_starts_leaves_nothing() throws Exception {
    Root.require();
    Path data = folder.resolve("data");
    try (var cluster = Cluster.up(folder);
        var threads = Executors.newFixedThreadPool(AT_ONCE)) {
      startOne(cluster.kube());
      var rounds = new ArrayList<Callable<Object>>();
      for (int i = 0; i < PODS; i++) {
        int number = i;
        rounds.add(() -> comeAndGo(cluster.kube(), number));
      }
      for (var round : threads.invokeAll(rounds)) {
        round.get();
      }
      cluster.kube().awaitGone(PATH, "", PATIENCE);

      awaitNone(() -> processes(data));
      awaitNone(() -> entries(data.resolve("runtime").resolve("pods")));
      awaitNone(() -> entries(data.resolve("node").resolve("pods")));
      awaitNone(() -> entries(data.resolve("fabric").resolve("addresses")));
    }
  }

  /** The first pod of a program takes longer: others would be gone before they begin to start. */
  private static void startOne(Kube kube) throws Exception {
    kube.create(PATH, POD.formatted("first"));
    kube.awaitOne(
        PATH, "first", pod -> pod.at("/status/phase").asText().equals("Running"), PATIENCE);
    kube.delete(PATH + "/first", "gracePeriodSeconds=0");
  }

  private static Object comeAndGo(Kube kube, int number) throws Exception {
    String name = "p" + number;
    kube.create(PATH, POD.formatted(name));
    LockSupport.parkNanos(new Random(number).nextInt(LATEST)); // anywhere in its start
    return kube.delete(PATH + "/" + name, "gracePeriodSeconds=0");
  }

  private interface Look {
    List<String> now() throws IOException;
  }

  /** No event tells that a process or a directory is gone. */
  private static void awaitNone(Look look) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!look.now().isEmpty() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(20_000_000);
    }
    assertThat(look.now()).isEmpty();
  }

  /** Those that run the interpreter of the runtime: sandboxes, containers, prepared attempts. */
  private static List<String> processes(Path data) throws IOException {
    var found = new ArrayList<String>();
    try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (Path process : processes) {
        try {
          if (Files.readSymbolicLink(process.resolve("exe")).startsWith(data.resolve("runtime"))) {
            found.add(Files.readString(process.resolve("cmdline")).replace('\0', ' '));
          }
        } catch (IOException e) {
          continue; // it ended while we looked
        }
      }
    }
    return found;
  }

  private static List<String> entries(Path directory) throws IOException {
    try (var entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName().toString()).toList();
    }
  }
}
