package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.e2e.replay.Replay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a real kubelet, Job controller, JobSet controller and API server did, done again by ours:
 * every recorded scenario, those of one part side by side.
 */
@DisplayName("Recordings of a real Kubernetes (ACC-001 to ACC-199, BS-*, AS-*)")
@Order(2)
class ConformanceIT {

  private static final Path RECORDINGS = Path.of("src/test/resources/conformance");
  private static final int SIDE_BY_SIDE = 16; // most of the time they wait

  @TempDir static Path folder;

  private static Cluster cluster;
  private static ExecutorService players;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster =
        Cluster.up(
            folder,
            "--gates=upstream",
            "--feature-gates=InPlaceRestart=true,RestartJob=true,ElasticJobSet=true");
    players =
        Executors.newFixedThreadPool(SIDE_BY_SIDE, Thread.ofVirtual().name("replay-", 0).factory());
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      players.shutdownNow();
      cluster.close();
    }
  }

  @TestFactory
  Stream<DynamicTest> pods() throws IOException {
    return every_step_answers_as_recorded("pods");
  }

  @TestFactory
  Stream<DynamicTest> api() throws IOException {
    return every_step_answers_as_recorded("api");
  }

  /** Apart from the pods: these scenarios make nodes, which the scheduler would use for those. */
  @TestFactory
  Stream<DynamicTest> jobs_and_job_sets() throws IOException {
    return Stream.concat(
        every_step_answers_as_recorded("jobs"), every_step_answers_as_recorded("jobset"));
  }

  private static Stream<DynamicTest> every_step_answers_as_recorded(String part)
      throws IOException {
    try (var files = Files.list(RECORDINGS.resolve(part))) {
      return files
          .filter(file -> file.toString().endsWith(".json"))
          .sorted()
          .map(file -> {
            Future<List<String>> played =
                players.submit(
                    () -> Replay.run(cluster.kube().transport(), Files.readAllBytes(file)));
            return DynamicTest.dynamicTest(
                file.getFileName().toString(), () -> assertThat(played.get()).isEmpty());
          })
          .toList()
          .stream();
    }
  }
}
