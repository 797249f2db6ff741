package dev.regroup.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Locale.ROOT;
import static java.util.regex.Matcher.quoteReplacement;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The examples of JAX and PyTorch with the real things, two workers each, where containers find
 * them: JAX in the folder {@code regroup/jax} of the user's cache ({@code pip install --target}),
 * PyTorch among the packages of the system's Python. However a worker ends, the time the group
 * stood still in the report is that between the last line before and the first after, as the
 * workers' own clocks have it.
 */
@Order(2)
class FrameworksIT {

  private static final Path EXAMPLES = Path.of("../../examples");
  private static final Path CACHE = Path.of(System.getProperty("user.home"), ".cache/regroup");
  private static final Duration LIMIT = Duration.ofSeconds(300);
  private static final String PYTHON = "/usr/bin/python3"; // the one containers find first

  /** How the group of an example comes to its restart. */
  enum How {
    EXIT(""),
    KILL("kill"),
    OOM("fill"),
    DELETE("delete"),
    /** Until its liveness probe gives it up. */
    HANG("stop"),
    /** One exits, and its neighbour does not end when it is told to. */
    CAUGHT("");

    private final String deed;

    How(String deed) {
      this.deed = deed;
    }

    /** What is done to a worker from outside; empty if it fails by itself. */
    Optional<String> plan() {
      return deed.isEmpty() ? Optional.empty() : Optional.of(deed + " worker 1 at step 200");
    }
  }

  @TempDir Path folder;

  private String said = "";

  static List<How> jax() {
    return cases(How.CAUGHT);
  }

  static List<How> pytorch() {
    return cases(How.EXIT);
  }

  /** {@code -Dframework.cases=exit,kill,oom,delete,hang,caught} runs them all. */
  private static List<How> cases(How usual) {
    String all = System.getProperty("framework.cases", usual.name());
    return Stream.of(all.split(",", -1)).map(one -> How.valueOf(one.toUpperCase(ROOT))).toList();
  }

  @BeforeAll
  static void requireRoot() throws Exception {
    Root.require();
  }

  @ParameterizedTest
  @MethodSource("jax")
  void jax_stands_still_as_long_as_the_report_says(How how) throws Exception {
    require(
        "import jax", CACHE.resolve("jax"), "JAX (pip install --target ~/.cache/regroup/jax jax)");
    String manifest =
        small("jax", how)
            .replace("/var/tmp/regroup-packages", CACHE.resolve("jax").toString())
            .replace("name: PROCESSES, value: \"4\"", "name: PROCESSES, value: \"2\"")
            .replace("-le 20", "-le 3");
    if (how != How.CAUGHT) { // JAX catches the stop signal: then nobody waits for it
      manifest =
          manifest.replace(
              "metadata:\n  name: jax\n",
              "metadata:\n  name: jax\n  annotations: {regroup.dev/restart-grace: \"0\"}\n");
    }

    agrees("JAX", manifest, how);

    assertThat(said).containsPattern("2 processes train from step [1-9]");
  }

  @ParameterizedTest
  @MethodSource("pytorch")
  void pytorch_stands_still_as_long_as_the_report_says(How how) throws Exception {
    require("import torch.distributed", folder, "PyTorch (apt-get install python3-torch)");
    String manifest =
        small("pytorch-ddp", how)
            .replace("name: WORLD_SIZE, value: \"4\"", "name: WORLD_SIZE, value: \"2\"");
    if (how == How.CAUGHT) {
      manifest =
          manifest
              .replaceFirst("(?m)^ +dist.init_process_group", DEAF.indent(8) + "$0")
              .replaceFirst("(?m)^ +os._exit\\(1\\)", TEARDOWN.indent(8) + "$0");
    }
    if (how == How.HANG) {
      manifest =
          manifest
              .replaceFirst("(?m)^ +if fails", "            open(\"/tmp/step\", \"w\")\n$0")
              .replaceFirst("(?m)^ +volumeMounts:", quoteReplacement(PROBES.indent(14)) + "$0");
    }

    var restart = agrees("PyTorch", manifest, how);

    assertThat(said).containsPattern("2 workers train from step [1-9]");
    if (how == How.EXIT) {
      assertThat(restart.path("culprit").path("log").toString())
          .contains("worker 1 dies at step 230");
      assertThat(restart.path("redoneSteps").asInt()).isBetween(1, 40);
    }
  }

  /**
   * Runs it, and compares what the report says with what the lines say. The best of up to three
   * runs: what else the machine does between a worker's look at the clock and its line is not the
   * report's fault.
   */
  private JsonNode agrees(String framework, String manifest, How how) throws Exception {
    var restart = restart(manifest, how);
    double still = stoodStill(framework, how, restart);
    for (int again = 1; again < 3 && !isNear(restart, still); again++) {
      forgetCheckpoints();
      restart = restart(manifest, how);
      still = stoodStill(framework, how, restart);
    }
    assertThat(restart.path("downSeconds").asDouble())
        .as("%s: %s%n%s", how, restart.toPrettyString(), said)
        .isCloseTo(still, withinPercentage(10));
    assertThat(restart.path("cause").asText())
        .containsPattern(
            switch (how) {
              case EXIT, CAUGHT -> "-worker-0-1-\\w+: container worker exited with code 1";
              case KILL -> "-worker-0-1-\\w+: container worker was killed";
              case OOM -> "-worker-0-1-\\w+: .*OOMKilled";
              case DELETE -> "-worker-0-1-\\w+: .*deleted";
              case HANG -> "its liveness probe failed";
            });
    assertThat(restart.path("waits")).as("%s", how).hasSize(how == How.CAUGHT ? 1 : 0);
    assertThat(restart.path("measure").asText()).isEqualTo("steps");
    assertThat(said).contains("finished, checksum");
    return restart;
  }

  private static boolean isNear(JsonNode restart, double still) {
    return Math.abs(restart.path("downSeconds").asDouble() - still) <= still / 10;
  }

  /** By the clock, in seconds. */
  private double stoodStill(String framework, How how, JsonNode restart) {
    double still =
        times("0-\\d", 1, "").min().orElseThrow()
            - DoubleStream.concat(times("0-1", 0, ""), times("0-0", 0, "step \\d+ of"))
                .max()
                .orElseThrow();
    System.out.printf(
        ROOT,
        "%s, %s: %.2f s by the clock, %s s in the report%n",
        framework,
        how,
        still,
        restart.get("downSeconds"));
    return still;
  }

  private void forgetCheckpoints() throws IOException {
    try (var files = Files.walk(folder.resolve("checkpoints"))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /**
   * Every line begins with the worker's own clock and the attempt it belongs to. A model that is
   * worth it takes seconds to load.
   */
  private static final String CLOCK =
      """
      import time


      class Clocked:
          def __init__(self, stream):
              self.stream, self.open = stream, False

          def write(self, text):
              for line in text.splitlines(True):
                  clock = f"@{time.time():.3f} a{os.environ['JOBSET_RESTART_ATTEMPT']} "
                  self.stream.write(line if self.open else clock + line)
                  self.open = not line.endswith("\\n")

          def __getattr__(self, name):
              return getattr(self.stream, name)


      sys.stdout, sys.stderr = Clocked(sys.stdout), Clocked(sys.stderr)
      time.sleep(2)
      """;

  /** As JAX does by itself. */
  private static final String DEAF =
      """
      import signal
      signal.signal(signal.SIGTERM, lambda number, frame: None)
      """;

  /** A neighbour that loses its group hangs while it is torn down. */
  private static final String TEARDOWN =
      """
      if os.environ["RANK"] == "0": time.sleep(3600)
      """;

  /** As the other example has them. */
  private static final String PROBES =
      """
      startupProbe:
        exec: {command: [test, -e, /tmp/step]}
        periodSeconds: 1
        failureThreshold: 120
      livenessProbe:
        exec: {command: [sh, -c, 'test $(($(date +%s) - $(stat -c %Y /tmp/step))) -le 3']}
        periodSeconds: 2
        failureThreshold: 2
        terminationGracePeriodSeconds: 1
      """;

  /** Two workers, in folders of this test. */
  private String small(String example, How how) throws IOException {
    String text =
        Files.readString(EXAMPLES.resolve(example + ".yaml"))
            .replaceAll("/var/tmp/regroup-(jax|pytorch)", folder.resolve("checkpoints").toString())
            .replace("parallelism: 4", "parallelism: 2")
            .replace("completions: 4", "completions: 2")
            .replace("STEPS, value: \"300\"", "STEPS, value: \"1500\"")
            .replace("(step + 1) % 5 == 0", "True") // a line for each step
            .replace("FAIL_RANK, value: \"2\"", "FAIL_RANK, value: \"1\"")
            .replace(
                "FAIL_STEP, value: \"130\"",
                "FAIL_STEP, value: \"%s\"".formatted(how.plan().isEmpty() ? "230" : "none"))
            .replaceFirst("(?m)^    import os, sys.*\n", "$0" + quoteReplacement(CLOCK.indent(4)));
    return how == How.OOM
        ? text.replaceFirst("(?m)^( +)volumeMounts:", "$1resources: {limits: {memory: 1Gi}}\n$0")
        : text;
  }

  /** Runs it to a good end with one restart, and returns that. */
  private JsonNode restart(String manifest, How how) throws Exception {
    Path file = Files.writeString(folder.resolve("manifest.yaml"), manifest);
    var arguments =
        new ArrayList<>(List.of("run", "--timeout=240s", "--report=" + folder.resolve("report")));
    how.plan().ifPresent(plan -> arguments.add("--chaos=" + plan));
    arguments.add("" + file);
    try (var run = Program.start(Map.of("TMPDIR", folder.toString()), arguments)) {
      assertThat(run.awaitExit(LIMIT)).as(run.output()).isZero();
      said = run.output();
    }
    var report = Kube.JSON.readTree(folder.resolve("report/report.json").toFile());
    assertThat(report.path("restarts")).as(said).hasSize(1);
    return report.path("restarts").path(0);
  }

  /** When such lines were written by the worker in this attempt, by its own clock. */
  private DoubleStream times(String worker, int attempt, String words) {
    return Pattern.compile("-worker-%s \\| @(\\d+\\.\\d+) a%d %s".formatted(worker, attempt, words))
        .matcher(said)
        .results()
        .mapToDouble(line -> Double.parseDouble(line.group(1)));
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
