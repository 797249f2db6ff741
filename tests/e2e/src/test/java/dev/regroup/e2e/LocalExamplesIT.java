package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The manifests of the proposals run, but for those whose first line says why not. */
class LocalExamplesIT {

  private static final Path EXAMPLES = Path.of("../../examples/kep");
  private static final Duration LIMIT = Duration.ofSeconds(120);

  @TempDir Path folder;

  @BeforeAll
  static void requireRoot() throws Exception {
    Root.require();
  }

  @Test
  void every_example_that_does_not_say_otherwise_succeeds() throws Exception {
    List<Path> runnable;
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      runnable = files.sorted().filter(LocalExamplesIT::runs).toList();
    }

    assertThat(runnable).hasSizeGreaterThan(5);
    for (Path example : runnable) {
      assertThat(said(example)).contains("succeeded in ");
    }
  }

  private String said(Path example) throws Exception {
    try (var program =
        Program.start(
            Map.of("TMPDIR", folder.toString()),
            List.of("run", "--timeout=100s", example.toString()))) {
      assertThat(program.awaitExit(LIMIT)).as(example + "\n" + program.output()).isZero();
      return program.output();
    }
  }

  private static boolean runs(Path example) {
    try (Stream<String> lines = Files.lines(example)) {
      return lines.limit(1).noneMatch(line -> line.contains("Does not run"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
