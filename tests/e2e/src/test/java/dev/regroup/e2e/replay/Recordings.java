package dev.regroup.e2e.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * All recorded scenarios of one part as tests. They are played side by side, from when they are
 * asked for: most of the time they wait.
 */
public final class Recordings implements AutoCloseable {

  private static final Path FOLDER = Path.of("../e2e/src/test/resources/conformance");

  /** What is true of the steps that docs/reference/differences.md lists. */
  public enum Listed {
    /** The page speaks of this API. */
    DIFFER,
    /** It speaks of another one. */
    MAY_DIFFER
  }

  private final Askers askers;
  private final Listed listed;
  private final ExecutorService players;

  /** Recordings for this API. */
  public Recordings(Askers askers, int sideBySide, Listed listed) {
    this.askers = askers;
    this.listed = listed;
    this.players =
        Executors.newFixedThreadPool(sideBySide, Thread.ofVirtual().name("replay-", 0).factory());
  }

  /** The scenarios of a part whose names are chosen. */
  public Stream<DynamicTest> of(String part, Predicate<String> chosen) throws IOException {
    try (var files = Files.list(FOLDER.resolve(part))) {
      return files
          .map(file -> String.valueOf(file.getFileName()))
          .filter(file -> file.endsWith(".json"))
          .map(file -> file.substring(0, file.length() - ".json".length()))
          .filter(chosen)
          .sorted()
          .map(scenario -> test(part + "/" + scenario))
          .toList()
          .stream();
    }
  }

  private DynamicTest test(String name) {
    Path file = FOLDER.resolve(name + ".json");
    Future<List<String>> played =
        players.submit(() -> Replay.run(askers, Files.readAllBytes(file)));
    return DynamicTest.dynamicTest(name, () -> judge(name, played.get()));
  }

  private void judge(String name, List<String> differing) throws IOException {
    for (int step : KnownDifferences.of(name)) {
      var start = "step " + step + " ";
      if (listed == Listed.DIFFER) {
        assertThat(differing).as("listed").anyMatch(line -> line.startsWith(start));
      }
      differing.removeIf(line -> line.startsWith(start));
    }
    assertThat(differing).isEmpty();
  }

  /** Ends those that are still played. */
  @Override
  public void close() {
    players.shutdownNow();
  }
}
