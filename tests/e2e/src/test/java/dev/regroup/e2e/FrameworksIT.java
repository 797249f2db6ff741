package dev.regroup.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The examples of JAX and PyTorch with the real things, two workers each, where containers find
 * them: JAX in the folder {@code regroup/jax} of the user's cache ({@code pip install --target}),
 * PyTorch among the packages of the system's Python. What the report says a restart cost agrees
 * with the clock of the workers.
 */
@Order(2)
class FrameworksIT {

  private static final Path EXAMPLES = Path.of("../../examples");
  private static final Path CACHE = Path.of(System.getProperty("user.home"), ".cache/regroup");
  private static final Duration LIMIT = Duration.ofSeconds(300);
  private static final String PYTHON = "/usr/bin/python3"; // the one containers find first

  @TempDir Path folder;

  /** How a worker of JAX ends; {@code -Djax.cases=exit,kill,hang,caught} runs them all. */
  static List<String> cases() {
    return List.of(System.getProperty("jax.cases", "caught").split(",", -1));
  }

  @BeforeAll
  static void requireRoot() throws Exception {
    Root.require();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void jax_stands_still_as_long_as_the_report_says(String how) throws Exception {
    require(
        "import jax", CACHE.resolve("jax"), "JAX (pip install --target ~/.cache/regroup/jax jax)");
    String manifest =
        small("jax")
            .replace("/var/tmp/regroup-packages", CACHE.resolve("jax").toString())
            .replace("name: PROCESSES, value: \"4\"", "name: PROCESSES, value: \"2\"")
            .replace("import os, sys, time\n", "import os, sys, time\n" + CLOCK.indent(4))
            .replace("-le 20", "-le 3");
    manifest =
        switch (how) {
          case "exit" -> atOnce(manifest);
          case "kill" -> atOnce(failing(manifest, "kill")).replace("time.sleep(3600)", TALK);
          case "hang" -> failing(manifest, "hang");
          case "caught" -> manifest; // JAX catches the stop signal, and its neighbours wait for it
          default -> throw new IllegalArgumentException(how);
        };

    var restart = restart(manifest);

    double still =
        times("process \\d of 2 joins").sorted().skip(2).findFirst().orElseThrow()
            - times("process 1 (meets its end|is still here)").max().orElseThrow();
    assertThat(restart.path("downSeconds").asDouble())
        .as("%s: %s%n%s", how, restart.toPrettyString(), said)
        .isCloseTo(still, withinPercentage(10));
    assertThat(restart.path("cause").asText())
        .contains(
            switch (how) {
              case "hang" -> "its liveness probe failed";
              case "kill" -> "jax-worker-0-1-";
              default -> "container worker exited with code 1";
            });
    assertThat(restart.path("waits")).as(how).hasSize(how.equals("caught") ? 1 : 0);
    assertThat(restart.path("measure").asText()).isEqualTo("steps");
    assertThat(said).contains("2 processes train from step 20", "finished, checksum");
    System.out.printf(
        "JAX, %s: %.2f s by the clock, %s s in the report%n",
        how, still, restart.get("downSeconds"));
  }

  @Test
  void pytorch_goes_on_from_its_checkpoint_and_the_first_to_fail_is_blamed() throws Exception {
    require("import torch.distributed", folder, "PyTorch (apt-get install python3-torch)");
    String manifest =
        small("pytorch-ddp")
            .replace("name: WORLD_SIZE, value: \"4\"", "name: WORLD_SIZE, value: \"2\"");

    var restart = restart(manifest);

    assertThat(restart.path("cause").asText())
        .matches("pytorch-worker-0-1-\\w+: container worker exited with code 1");
    assertThat(restart.path("culprit").path("log").toString()).contains("worker 1 dies at step 30");
    assertThat(restart.path("redoneSteps").asInt()).isBetween(1, 15);
    assertThat(said).contains("2 workers train from step 20", "finished, checksum");
  }

  /** Every line begins with the worker's own clock. */
  private static final String CLOCK =
      """
      written = print


      def print(*words, **how):
          written(f"@{time.time():.3f}", *words, **how)
      """;

  /** What a worker does until it is killed. */
  private static final String TALK =
      "while True: print(f\"process {RANK} is still here\", flush=True); time.sleep(0.02)";

  /** Two workers and few steps, in folders of this test. */
  private String small(String example) throws IOException {
    return Files.readString(EXAMPLES.resolve(example + ".yaml"))
        .replaceAll("/var/tmp/regroup-(jax|pytorch)", folder.resolve("checkpoints").toString())
        .replace("parallelism: 4", "parallelism: 2")
        .replace("completions: 4", "completions: 2")
        .replace("STEPS, value: \"300\"", "STEPS, value: \"60\"")
        .replace("SAVE_EVERY, value: \"50\"", "SAVE_EVERY, value: \"20\"")
        .replace("FAIL_RANK, value: \"2\"", "FAIL_RANK, value: \"1\"")
        .replace("FAIL_STEP, value: \"130\"", "FAIL_STEP, value: \"30\"");
  }

  private static String failing(String manifest, String how) {
    return manifest.replace(
        "- {name: FAIL_RANK",
        "- {name: FAIL_HOW, value: " + how + "}\n              - {name: FAIL_RANK");
  }

  private static String atOnce(String manifest) {
    return manifest.replace(
        "metadata:\n  name: jax\n",
        "metadata:\n  name: jax\n  annotations: {regroup.dev/restart-grace: \"0\"}\n");
  }

  private String said = "";

  /** Runs it to a good end with one restart, and returns that. */
  private JsonNode restart(String manifest) throws Exception {
    Path file = Files.writeString(folder.resolve("manifest.yaml"), manifest);
    try (var run =
        Program.start(
            Map.of("TMPDIR", folder.toString()),
            List.of("run", "--timeout=240s", "--report=" + folder.resolve("report"), "" + file))) {
      if (manifest.contains(TALK)) {
        killWhoAsks(run);
      }
      assertThat(run.awaitExit(LIMIT)).as(run.output()).isZero();
      said = run.output();
    }
    var report = Kube.JSON.readTree(folder.resolve("report/report.json").toFile());
    assertThat(report.path("restarts")).as(said).hasSize(1);
    return report.path("restarts").path(0);
  }

  /** When such lines were written, by the workers' clock. */
  private DoubleStream times(String words) {
    return Pattern.compile("\\| @(\\d+\\.\\d+) " + words)
        .matcher(said)
        .results()
        .mapToDouble(line -> Double.parseDouble(line.group(1)));
  }

  /** Kills the worker that says so, from outside: nobody can kill process 1 from within. */
  private static void killWhoAsks(Program run) throws Exception {
    run.awaitLine(line -> line.contains("process 1 is still here"), LIMIT);
    long pid =
        ProcessHandle.allProcesses()
            .filter(process -> isToBeKilled(process.pid()))
            .mapToLong(ProcessHandle::pid)
            .min()
            .orElseThrow();
    assertThat(new ProcessBuilder("kill", "-KILL", "" + pid).start().waitFor()).isZero();
  }

  private static boolean isToBeKilled(long pid) {
    try {
      String all = Files.readString(Path.of("/proc/" + pid + "/environ"));
      return all.contains("FAIL_HOW=kill\0") && all.contains("JOB_COMPLETION_INDEX=1\0");
    } catch (IOException e) {
      return false; // it has ended
    }
  }

  /** Where it cannot be loaded the test is skipped and says so, but not where all must run. */
  private static void require(String statement, Path packages, String what) throws Exception {
    String missing = what + " cannot be loaded by " + PYTHON;
    if (Files.isExecutable(Path.of(PYTHON))) {
      var python = new ProcessBuilder(PYTHON, "-c", statement).redirectErrorStream(true);
      python.environment().put("PYTHONPATH", packages.toString());
      var process = python.start();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (process.waitFor() == 0) {
        return;
      }
      missing += ": " + output.strip().lines().reduce("", (_, last) -> last);
    }
    if (System.getenv("CI") != null) {
      fail(missing);
    }
    System.out.println("SKIPPED: " + missing);
    abort(missing);
  }
}
