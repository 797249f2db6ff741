package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code bin/regroup} tells the virtual machine about memory holds. */
class MemoryIT {

  private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
  private static final int OUT_OF_MEMORY = 3; // of -XX:+ExitOnOutOfMemoryError
  private static final int LARGE = 1_000_000;
  private static final int MOST = 500;

  private static final int SIZE = 40;
  private static final int AGENTS = 300;
  private static final int RESTARTS = Integer.getInteger("memory.restarts", 4);

  /** However many restarts there were ({@code -Dmemory.restarts}): it levels out. */
  private static final long MOST_MEBI = 420;

  /** With the changes that watches may still ask for, up to 16 MiB of each kind. */
  private static final long MOST_LIVE = 96 * Vitals.MEBI;

  @TempDir Path folder;
  private Path launcher;

  /** A place with nothing but the launcher and what this build has packaged. */
  @BeforeEach
  void install() throws Exception {
    Root.require();
    var packaged = Program.dist();
    Assumptions.assumeTrue(packaged.isPresent(), "this build has packaged no jar");
    Path home = folder.resolve("installed");
    for (String script : List.of("bin/regroup", "bin/jdk25")) {
      copy(Path.of("../..").resolve(script), home.resolve(script));
    }
    try (var files = Files.newDirectoryStream(packaged.get(), "regroup-*")) {
      for (Path file : files) {
        copy(file, home.resolve("cli/target/dist").resolve(file.getFileName()));
      }
    }
    launcher = home.resolve("bin/regroup");
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
  }

  @Test
  void out_of_memory_the_program_ends_and_the_next_one_adopts_the_pods() throws Exception {
    var small = Map.of("JAVA_TOOL_OPTIONS", "-Xmx80m");
    try (var cluster = Cluster.launched(folder, launcher, small)) {
      var group = new Workers(folder, "group", 2);
      cluster.kube().create(JOB_SETS, group.manifest(3));
      group.awaitRunning(cluster.kube(), 0);
      var before = group.processes();

      fillMemory(cluster.kube());

      assertThat(cluster.program().awaitExit(LIMIT))
          .as(cluster.program().output())
          .isEqualTo(OUT_OF_MEMORY);
      assertThat(group.processes()).as("workers go on").isEqualTo(before).hasSize(2);
      cluster.start(Map.of());
      for (var pod : group.awaitRunning(cluster.kube(), 0).values()) {
        assertThat(Workers.restarts(pod)).isZero();
      }
      assertThat(group.processes()).isEqualTo(before);
      group.exit(0, 0, 1);
      group.awaitRunning(cluster.kube(), 1);
      assertThat(group.wrongs()).isEmpty();
      group.exitAll(1, 0);
      group.awaitCondition(cluster.kube(), "Completed");
    }
  }

  /** Everything stored is in memory, too. */
  private static void fillMemory(Kube kube) throws InterruptedException {
    for (int i = 0; i < MOST; i++) {
      String map =
          "{\"metadata\":{\"name\":\"m%d\"},\"data\":{\"x\":\"%s\"}}"
              .formatted(i, "x".repeat(LARGE));
      try {
        kube.transport()
            .send(Request.of("POST", CONFIG_MAPS, "application/json", map.getBytes(UTF_8)));
      } catch (Transport.Unreachable e) {
        return; // it has ended
      }
    }
    throw new AssertionError("the heap is not small");
  }

  @Test
  void restarts_with_hundreds_of_agents_leave_no_memory_behind() throws Exception {
    try (var cluster = Cluster.launched(folder, launcher, Map.of())) {
      var process = Path.of("/proc/" + cluster.program().pid());
      var group = new Workers(folder, "group", SIZE);
      cluster.kube().create(JOB_SETS, group.manifest(RESTARTS));
      group.awaitRunning(cluster.kube(), 0);
      try (var agents = new Agents(cluster, group)) {
        agents.awaitAttempt(0);
        var figures = new ArrayList<Long>();
        figures.add(Vitals.resident(process) / Vitals.MEBI);
        for (int attempt = 1; attempt <= RESTARTS; attempt++) {
          group.exit(attempt - 1, 0, 1);
          group.awaitRunning(cluster.kube(), attempt);
          agents.awaitAttempt(attempt);
          figures.add(Vitals.resident(process) / Vitals.MEBI);
        }
        System.out.printf(
            "memory: %d workers, %d agents, MB resident at each attempt: %s%n",
            SIZE, AGENTS, figures);
        var collected = Vitals.of(cluster.program(), cluster.data());
        System.out.println("memory: when garbage is collected " + collected);

        assertThat(figures).as("MB").allMatch(one -> one < MOST_MEBI);
        assertThat(collected.heap()).as("bytes of live objects").isLessThan(MOST_LIVE);
      }
      group.exitAll(RESTARTS, 0);
      group.awaitCondition(cluster.kube(), "Completed");
    }
  }

  /** What agents do to a server: each follows the JobSet, and every tenth all of its pods. */
  private static final class Agents implements AutoCloseable {

    private final List<Transport.Stream> watches = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<CountDownLatch> reached = new ArrayList<>();

    Agents(Cluster cluster, Workers group) throws Exception {
      for (int attempt = 0; attempt <= RESTARTS; attempt++) {
        reached.add(new CountDownLatch(AGENTS));
      }
      var transport = cluster.kube().transport();
      for (int i = 0; i < AGENTS; i++) {
        if (i % 100 == 0) {
          transport = Kube.of(cluster.kubeconfig()).transport(); // another connection
        }
        follow(transport, JOB_SETS, "watch=1&fieldSelector=metadata.name%3D" + group.name());
        if (i % 10 == 0) {
          follow(transport, PODS, "watch=1&" + group.podsQuery());
        }
      }
    }

    private void follow(Transport transport, String path, String query) throws Exception {
      var stream = transport.open(Request.get(path, query));
      watches.add(stream);
      threads.add(Thread.ofVirtual().name("agent-" + threads.size()).start(() -> read(stream)));
    }

    private void read(Transport.Stream stream) {
      int at = -1;
      try {
        for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
          var status = Kube.JSON.readTree(frame).path("object").path("status");
          int attempt = status.path("currentInPlaceRestartAttempt").asInt(-1);
          for (; at < attempt; at++) {
            reached.get(at + 1).countDown();
          }
        }
      } catch (IOException | InterruptedException e) {
        Thread.currentThread().interrupt(); // closed
      }
    }

    void awaitAttempt(int attempt) throws InterruptedException {
      boolean all = reached.get(attempt).await(LIMIT.toSeconds(), TimeUnit.SECONDS);
      assertThat(all).as("agents at attempt %d", attempt).isTrue();
    }

    @Override
    public void close() throws InterruptedException {
      watches.forEach(Transport.Stream::close);
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }
}
