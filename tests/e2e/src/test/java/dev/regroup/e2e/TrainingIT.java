package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of the README, as a newcomer runs it. */
class TrainingIT {

  private static final Path EXAMPLE = Path.of("../../examples/training.yaml");

  @TempDir Path folder;

  @BeforeAll
  static void requireRoot() throws Exception {
    Root.require();
  }

  @Test
  void a_worker_dies_and_the_training_ends_as_if_nothing_had_happened() throws Exception {
    var before = Machine.now(folder.toString());

    String disturbed = train("disturbed", text -> text);
    String calm =
        train(
            "calm", text -> text.replace("FAIL_STEP, value: \"180\"", "FAIL_STEP, value: \"-1\""));

    assertThat(disturbed)
        .contains("dying at step 180")
        .contains("attempt 1: training from step 150");
    assertThat(calm).doesNotContain("dying").doesNotContain("attempt 1");
    assertThat(checkpoint("disturbed")).isEqualTo(checkpoint("calm"));
    assertThat(disturbed).contains("1 restart\n").contains("restart 1: ");
    assertThat(Machine.now(folder.toString())).isEqualTo(before);
  }

  private interface Edit {
    String apply(String manifest);
  }

  /** Runs the example with a folder of its own for checkpoints and returns all it printed. */
  private String train(String name, Edit edit) throws Exception {
    Path checkpoints = Files.createDirectories(folder.resolve(name));
    String manifest =
        edit.apply(Files.readString(EXAMPLE))
            .replace("/var/tmp/regroup-training", checkpoints.toString());
    Path file = Files.writeString(folder.resolve(name + ".yaml"), manifest);
    try (var program =
        Program.start(Map.of("TMPDIR", folder.toString()), List.of("run", file.toString()))) {
      assertThat(program.awaitExit(Duration.ofSeconds(120))).as(program.output()).isZero();
      return program.output();
    }
  }

  private byte[] checkpoint(String name) throws Exception {
    try (var files = Files.walk(folder.resolve(name))) {
      return Files.readAllBytes(
          files.filter(file -> file.endsWith("checkpoint")).findFirst().orElseThrow());
    }
  }
}
