package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of the README, as a newcomer runs it. */
@Order(4)
class TrainingIT {

  private static final Path EXAMPLE = Path.of("../../examples/training.yaml");
  private static final Duration LIMIT = Duration.ofSeconds(120);
  private static final int WORKERS = 4;

  @TempDir Path folder;

  @BeforeAll
  static void requireRoot() throws Exception {
    Root.require();
  }

  @Test
  void a_worker_dies_and_the_training_ends_as_if_nothing_had_happened() throws Exception {
    var before = Machine.now(folder.toString());

    try (var disturbed = train("disturbed", text -> text);
        var calm = train("calm", TrainingIT::withoutDeath)) {
      var kube = Kube.of(disturbed.kubeconfig(LIMIT));
      var first = running(kube, "0");
      var second = running(kube, "1");
      var made = Machine.madeBy(directory(disturbed).resolve("data"));
      assertThat(disturbed.awaitExit(LIMIT)).as(disturbed.output()).isZero();
      assertThat(calm.awaitExit(LIMIT)).as(calm.output()).isZero();

      assertThat(Workers.identities(second)).isEqualTo(Workers.identities(first));
      assertThat(disturbed.output())
          .contains("dying at step 180")
          .contains("attempt 1: training from step 150")
          .contains("1 restart\n")
          .contains("restart 1: ")
          .containsSubsequence("jobset/training: completed", "succeeded in ");
      assertThat(calm.output()).doesNotContain("dying").doesNotContain("attempt 1");
      before.assertNothingIsLeft(folder.toString(), made);
    }
    assertThat(checkpoint("disturbed")).isEqualTo(checkpoint("calm"));
    assertThat(folder.resolve("disturbed/tmp")).isEmptyDirectory();
  }

  @Test
  void what_a_killed_run_leaves_is_cleaned_up_and_nothing_of_a_living_one() throws Exception {
    var before = Machine.now(folder.toString());
    Path tmp = Files.createDirectory(folder.resolve("tmp"));
    Path pod = Files.writeString(folder.resolve("pod.yaml"), pod("sleep 600"));
    Path end = folder.resolve("end");
    Path waiting = Files.writeString(folder.resolve("waiting.yaml"), pod(Fifo.read("" + end)));

    try (var killed = run(tmp, pod);
        var living = run(tmp, waiting)) {
      killed.awaitLine(line -> line.contains("pod/p: running"), LIMIT);
      living.awaitLine(line -> line.contains("pod/p: running"), LIMIT);
      killed.kill();
      String left = directory(killed).toString();
      var made = Machine.madeBy(directory(killed).resolve("data"));
      assertThat(Machine.now(left).processes()).as("what it leaves").isNotEmpty();

      try (var down = Program.start(environment(tmp), down())) {
        assertThat(down.awaitExit(LIMIT)).as(down.output()).isZero();
        assertThat(down.output()).containsOnlyOnce("cleaned up after a run that was killed");
      }

      before.assertNothingIsLeft(left, made);
      assertThat(Path.of(left)).doesNotExist();
      Fifo.await(end, LIMIT);
      Fifo.write(end, "0");
      assertThat(living.awaitExit(LIMIT)).as(living.output()).isZero();
    }
    assertThat(tmp).isEmptyDirectory();
  }

  private interface Edit {
    String apply(String manifest);
  }

  private static String withoutDeath(String manifest) {
    return manifest.replace("FAIL_STEP, value: \"180\"", "FAIL_STEP, value: \"-1\"");
  }

  /** Runs the example with a folder of its own for checkpoints. */
  private Program train(String name, Edit edit) throws IOException {
    Path tmp = Files.createDirectories(folder.resolve(name).resolve("tmp"));
    String manifest =
        edit.apply(Files.readString(EXAMPLE))
            .replace("/var/tmp/regroup-training", folder.resolve(name).toString());
    return run(tmp, Files.writeString(folder.resolve(name + ".yaml"), manifest));
  }

  private Program run(Path tmp, Path manifest) throws IOException {
    return Program.start(environment(tmp), List.of("run", manifest.toString()));
  }

  private static Map<String, String> environment(Path tmp) {
    return Map.of("TMPDIR", tmp.toString());
  }

  private List<String> down() {
    return List.of("down", "--data-dir", folder + "/none", "--kubeconfig", folder + "/kubeconfig");
  }

  private String pod(String script) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: p}
    spec:
      restartPolicy: Never
      containers:
      - name: c
        image: none
        command: [sh, -c, '%1$s']
        volumeMounts: [{name: shared, mountPath: %2$s}]
      volumes: [{name: shared, hostPath: {path: %2$s}}]
    """
        .formatted(script, folder);
  }

  /** The pods once all are at this attempt and run. */
  private static Map<String, JsonNode> running(Kube kube, String attempt) throws Exception {
    return kube.await(
        PODS,
        "",
        pods ->
            pods.size() == WORKERS
                && pods.values().stream()
                    .allMatch(pod -> Workers.running(pod) && Workers.attempt(pod).equals(attempt)),
        LIMIT);
  }

  private static Path directory(Program run) throws InterruptedException {
    return run.kubeconfig(LIMIT).getParent();
  }

  private byte[] checkpoint(String name) throws Exception {
    try (var files = Files.walk(folder.resolve(name))) {
      return Files.readAllBytes(
          files.filter(file -> file.endsWith("checkpoint")).findFirst().orElseThrow());
    }
  }
}
