package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The program runs out of descriptors in the middle of group restarts: it goes on when there are
 * some again, and what could not be started was not counted (STS-17).
 */
class DescriptorsIT {

  private static final int SIZE = 2;
  private static final Duration SHORTAGE = Duration.ofSeconds(2);

  @TempDir Path folder;

  @Test
  void a_group_restart_without_descriptors_is_late_and_counted_once() throws Exception {
    Root.require();
    assumeTrue(
        Program.regroup().contains("-jar"), "classes in a directory are not found without any");
    try (var cluster = Cluster.up(folder)) {
      var group = new Workers(folder, "short", SIZE);
      cluster.kube().create(JOB_SETS, group.manifest(100));
      group.awaitRunning(cluster.kube(), 0);
      int attempt = 0;
      for (int missing : List.of(2, 10, 25)) {
        limit(cluster.program().pid(), open(cluster.program().pid()) - missing);
        group.exit(attempt, 0, 1);
        LockSupport.parkNanos(SHORTAGE.toNanos()); // so long it has to do without
        limit(cluster.program().pid(), most(cluster.program().pid()));
        attempt++;
        var pods = running(cluster, group, attempt);
        for (var pod : pods.values()) {
          assertThat(restarts(pod)).as("%d missing", missing).isEqualTo(attempt);
        }
      }
      assertThat(Vitals.of(cluster.program(), folder.resolve("data")).zombies()).isZero();
    }
  }

  private static Map<String, JsonNode> running(Cluster cluster, Workers group, int attempt)
      throws IOException, InterruptedException {
    try {
      return group.awaitRunning(cluster.kube(), attempt);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "; it said " + cluster.program().output(), e);
    }
  }

  private static int restarts(JsonNode pod) {
    return pod.at("/status/containerStatuses/0/restartCount").asInt();
  }

  private static int open(long pid) throws IOException {
    try (var descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      return (int) descriptors.count();
    }
  }

  /** The hard limit: last but one in its line. */
  private static int most(long pid) throws IOException {
    String line =
        Files.readAllLines(Path.of("/proc/" + pid + "/limits")).stream()
            .filter(one -> one.startsWith("Max open files"))
            .findFirst()
            .orElseThrow();
    return Integer.parseInt(line.strip().split(" +", -1)[4]);
  }

  private static void limit(long pid, int descriptors) throws IOException, InterruptedException {
    try (var prlimit =
        Program.command(
            Map.of(), List.of("prlimit", "--pid", "" + pid, "--nofile=" + descriptors + ":"))) {
      assertThat(prlimit.awaitExit(Duration.ofSeconds(20))).as(prlimit.output()).isZero();
    }
  }
}
