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
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** What a real kubelet did, done again by ours: every recorded scenario, side by side. */
@DisplayName("Recordings of a real kubelet (ACC-001 to ACC-074)")
class ConformanceIT {

  private static final Path RECORDINGS = Path.of("src/test/resources/conformance/pods");
  private static final int SIDE_BY_SIDE = 12;

  @TempDir static Path folder;

  private static Cluster cluster;
  private static ExecutorService players;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder, "--gates=upstream");
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
  Stream<DynamicTest> every_step_answers_as_recorded() throws IOException {
    try (var files = Files.list(RECORDINGS)) {
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
