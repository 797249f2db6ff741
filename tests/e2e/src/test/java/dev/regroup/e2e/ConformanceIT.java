package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.e2e.replay.Askers;
import dev.regroup.e2e.replay.Replay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a real API server, kubelet, Job controller and JobSet controller did, done again by ours:
 * every recorded scenario, those of one part side by side.
 */
@DisplayName("Recordings of a real Kubernetes (ACC-001 to ACC-199, BS-*, AS-*)")
@Order(2)
class ConformanceIT {

  private static final Path RECORDINGS = Path.of("src/test/resources/conformance");
  private static final String ALONE = "reviews.json";
  private static final int SIDE_BY_SIDE = 16; // most of the time they wait

  @TempDir static Path folder;

  private static Cluster cluster;
  private static ExecutorService players;
  private static Askers askers;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster =
        Cluster.up(
            folder,
            "--gates=upstream",
            "--feature-gates=InPlaceRestart=true,RestartJob=true,ElasticJobSet=true");
    askers = new Askers(cluster.kube().transport(), cluster.kube().nobody());
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
  Stream<DynamicTest> the_api() throws IOException {
    return every_step_answers_as_recorded("api", name -> !name.equals(ALONE));
  }

  /** What somebody may do depends on what other scenarios bind. */
  @TestFactory
  Stream<DynamicTest> reviews() throws IOException {
    return every_step_answers_as_recorded("api", ALONE::equals);
  }

  @TestFactory
  Stream<DynamicTest> pods() throws IOException {
    return every_step_answers_as_recorded("pods");
  }

  /** Apart from the pods: these scenarios make nodes, which the scheduler would use for those. */
  @TestFactory
  Stream<DynamicTest> jobs_and_job_sets() throws IOException {
    return Stream.concat(
        every_step_answers_as_recorded("jobs"), every_step_answers_as_recorded("jobset"));
  }

  private static Stream<DynamicTest> every_step_answers_as_recorded(String part)
      throws IOException {
    return every_step_answers_as_recorded(part, _ -> true);
  }

  private static Stream<DynamicTest> every_step_answers_as_recorded(
      String part, Predicate<String> chosen) throws IOException {
    try (var files = Files.list(RECORDINGS.resolve(part))) {
      return files
          .filter(file -> file.toString().endsWith(".json"))
          .filter(file -> chosen.test(file.getFileName().toString()))
          .sorted()
          .map(file -> {
            Future<List<String>> played =
                players.submit(() -> Replay.run(askers, Files.readAllBytes(file)));
            var name = part + "/" + file.getFileName().toString().replace(".json", "");
            return DynamicTest.dynamicTest(
                name,
                () -> {
                  var differing = played.get();
                  for (int step : KnownDifferences.of(name)) {
                    var start = "step " + step + " ";
                    assertThat(differing).as("listed").anyMatch(line -> line.startsWith(start));
                    differing.removeIf(line -> line.startsWith(start));
                  }
                  assertThat(differing).isEmpty();
                });
          })
          .toList()
          .stream();
    }
  }
}
