package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The time a group stood still, as the report has it, is what somebody sees who only looks at the
 * clock: from the last line of whoever caused the restart to the first line after it. Workers write
 * the time with every line and take seconds before their first, as real programs do.
 */
class RestartCostIT {

  private static final Duration LIMIT = Duration.ofSeconds(180);
  private static final Pattern LINE =
      Pattern.compile("^g-w-0-(\\d) \\| a(\\d+) (\\d+\\.\\d+)(?: .*)?$", Pattern.MULTILINE);

  /** Lines until told otherwise; the culprit of attempt 0 is rank 1. */
  private static final String WORKER =
      """
      a=$JOBSET_RESTART_ATTEMPT; r=$JOB_COMPLETION_INDEX
      sleep 3
      lines() { n=0; while [ $n -lt $1 ]; do echo "a$a $(date +%s.%N)"; sleep 0.05; n=$((n+1)); done; }
      """;

  /** Nobody is done before the restart, however late the culprit ends. */
  private static final String FIRST = "[ $a = 0 ] && lines 6000";

  @TempDir Path folder;

  @BeforeAll
  static void requireRoot() throws Exception {
    Root.require();
  }

  @Test
  void after_an_exit() throws Exception {
    agrees(jobSet("[ $a$r = 01 ] && { lines 20; exit 3; }; " + FIRST, "lines 60", ""), _ -> {});
  }

  @Test
  void after_an_exit_while_another_takes_its_time_to_stop() throws Exception {
    var restart =
        agrees(
            jobSet(
                "trap \"sleep 1; exit 0\" TERM; [ $a$r = 01 ] && { lines 20; exit 3; }; " + FIRST,
                "lines 60",
                ""),
            _ -> {});

    assertThat(restart.path("waits").findValuesAsText("pod")).hasSize(1);
    assertThat(stage(restart, "stopped")).isGreaterThan(0.9);
  }

  @Test
  void after_a_kill() throws Exception {
    agrees(
        jobSet(FIRST, "lines 60", ""),
        run -> {
          run.awaitLine(line -> line.startsWith("g-w-0-1 | a0"), LIMIT);
          kill(worker("JOB_COMPLETION_INDEX=1"));
        });
  }

  @Test
  void when_memory_runs_out() throws Exception {
    agrees(
        jobSet(
            "[ $a$r = 01 ] && { lines 6000 & sleep 1; x=1234; while :; do x=$x$x; done; }; "
                + FIRST,
            "lines 60",
            "resources: {limits: {memory: 48Mi}}"),
        _ -> {});
  }

  @Test
  void after_the_deletion_of_a_pod() throws Exception {
    agrees(
        "0", // who is deleted writes on until it ends; the others stop for it at once
        jobSet(FIRST, "lines 60", ""),
        run -> {
          run.awaitLine(line -> line.startsWith("g-w-0-0 | a0"), LIMIT);
          run.awaitLine(line -> line.startsWith("g-w-0-1 | a0"), LIMIT);
          var kube = Kube.of(run.kubeconfig(LIMIT));
          for (JsonNode pod : kube.get(Workers.PODS).path("items")) {
            String name = pod.path("metadata").path("name").asText();
            if (name.startsWith("g-w-0-1")) {
              kube.delete(Workers.PODS + "/" + name, "");
            }
          }
        });
  }

  @Test
  void after_a_hang_from_its_last_line_on() throws Exception {
    var restart =
        agrees(
            jobSet(
                "touch /tmp/ok; trap \"\" TERM; [ $a$r = 01 ] && { lines 20; rm /tmp/ok; while :;"
                    + " do sleep 0.2; done; }; "
                    + FIRST,
                "lines 60",
                "livenessProbe: {exec: {command: [test, -e, /tmp/ok]}, initialDelaySeconds: 6,"
                    + " periodSeconds: 1, failureThreshold: 3, timeoutSeconds: 20}"),
            _ -> {});

    assertThat(stage(restart, "found hanging")).isGreaterThan(1.0);
    assertThat(restart.path("cause").asText()).contains("its liveness probe failed");
  }

  @Test
  void steps_are_counted_that_are_done_twice_from_output_or_from_a_file() throws Exception {
    String output = "s=$((a*5)); while [ $s -lt 20 ]; do s=$((s+1)); echo \"step $s of 20\";";
    String file =
        output.replace("echo \"step $s of 20\"", "echo $s/20 > $JOBSET_RESTART_DIR/progress");
    for (String tells : List.of(output, file)) {
      // Nobody gets ahead of who falls; how far they got and where they go on is there to be read.
      String loop =
          tells
              + " [ $a$r$s = 0110 ] && { sleep 3; exit 3; }; [ $a$r$s = 0010 ] && sleep 600;"
              + " [ $a$s = 16 ] && sleep 3; sleep 0.15; done";
      try (var run = start(jobSet(":", "echo begin; " + loop, ""))) {
        assertThat(run.awaitExit(LIMIT)).as(run.output()).isZero();
        var report = report();
        var restart = report.path("restarts").path(0);

        assertThat(restart.path("measure").asText()).as(run.output()).isEqualTo("steps");
        assertThat(restart.path("reachedStep").asInt())
            .isBetween(9, 15); // who falls and who follows
        assertThat(restart.path("resumedStep").asInt()).isBetween(6, 7);
        assertThat(restart.path("redoneSteps").asInt()).isBetween(3, 10);
        assertThat(restart.path("redoingSeconds").asDouble()).isBetween(0.1, 20.0);
        assertThat(report.path("progress").path("total").asInt()).isEqualTo(20);
        assertThat(report.path("goodput").path("ratio").asDouble()).isBetween(0.05, 0.95);
        assertThat(report.path("goodput").path("measure").asText()).isEqualTo("steps");
        assertThat(run.output()).contains("steps done twice");
      }
    }
  }

  private interface Disturbance {
    void disturb(Program run) throws Exception;
  }

  /** Runs it, and compares what the report says with what the lines say. */
  private JsonNode agrees(String manifest, Disturbance disturbance) throws Exception {
    return agrees("1", manifest, disturbance);
  }

  /**
   * The same, from the last line of this worker on. The best of up to three runs: what else the
   * machine does between a worker's look at the clock and its line is not the report's fault.
   */
  private JsonNode agrees(String rank, String manifest, Disturbance disturbance) throws Exception {
    for (int again = 1; again < 3; again++) {
      try {
        return agreesAtOnce(rank, manifest, disturbance);
      } catch (Apart e) {
        System.out.println("once more: " + e.getMessage());
      }
    }
    return agreesAtOnce(rank, manifest, disturbance);
  }

  /** The clock and the report say different things. */
  private static final class Apart extends AssertionError {
    private static final long serialVersionUID = 1;

    private Apart(AssertionError cause) {
      super(cause.getMessage(), cause);
    }
  }

  private JsonNode agreesAtOnce(String rank, String manifest, Disturbance disturbance)
      throws Exception {
    try (var run = start(manifest)) {
      disturbance.disturb(run);
      assertThat(run.awaitExit(LIMIT)).as(run.output()).isZero();
      var restart = report().path("restarts").path(0);
      double last = time(run, rank, "0", (a, b) -> a > b);
      double first =
          Math.min(time(run, "0", "1", (a, b) -> a < b), time(run, "1", "1", (a, b) -> a < b));

      try {
        assertThat(restart.path("downSeconds").asDouble())
            .as("%s%n%s", restart.toPrettyString(), run.output())
            .isCloseTo(first - last, withinPercentage(10));
      } catch (AssertionError e) {
        throw new Apart(e);
      }
      assertThat(restart.path("measure").asText()).isEqualTo("output");
      assertThat(told())
          .singleElement()
          .satisfies(cost ->
              assertThat(cost).isCloseTo(restart.path("downSeconds").asDouble(), within(0.05)));
      return restart;
    }
  }

  /** The seconds in the events that tell what a restart cost. */
  private List<Double> told() throws IOException {
    return StreamSupport.stream(report().path("events").spliterator(), false)
        .filter(event -> event.path("reason").asText().equals("InPlaceRestartCost"))
        .map(event -> event.path("text").asText().replaceAll(".* cost ([0-9.]+)s.*", "$1"))
        .map(Double::valueOf)
        .toList();
  }

  private interface Order {
    boolean isBetter(double a, double b);
  }

  private static double time(Program run, String rank, String attempt, Order order) {
    double found = Double.NaN;
    var lines = LINE.matcher(run.output());
    while (lines.find()) {
      double at = Double.parseDouble(lines.group(3));
      if (lines.group(1).equals(rank)
          && lines.group(2).equals(attempt)
          && (Double.isNaN(found) || order.isBetter(at, found))) {
        found = at;
      }
    }
    assertThat(found).as(run.output()).isNotNaN();
    return found;
  }

  private static double stage(JsonNode restart, String until) {
    for (JsonNode stage : restart.path("stages")) {
      if (stage.path("until").asText().equals(until)) {
        return stage.path("seconds").asDouble();
      }
    }
    throw new AssertionError("no stage " + until + " in " + restart.toPrettyString());
  }

  private JsonNode report() throws IOException {
    assertThat(folder.resolve("report/report.html")).isNotEmptyFile();
    return Kube.JSON.readTree(folder.resolve("report/report.json").toFile());
  }

  /**
   * The worker of this test that has the variable: the parent of the commands it runs, which have
   * it, too. Numbers of processes begin anew, so the smallest one tells nothing.
   */
  private long worker(String variable) {
    Predicate<ProcessHandle> wanted =
        process -> {
          try {
            String all = Files.readString(Path.of("/proc/" + process.pid() + "/environ"));
            return all.contains("COST_OF=" + folder) && all.contains(variable + "\0");
          } catch (IOException e) {
            return false; // it has ended
          }
        };
    return ProcessHandle.allProcesses()
        .filter(wanted)
        .filter(process -> process.parent().filter(wanted).isEmpty())
        .mapToLong(ProcessHandle::pid)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no worker with " + variable));
  }

  private static void kill(long pid) throws Exception {
    assertThat(new ProcessBuilder("kill", "-KILL", "" + pid).start().waitFor()).isZero();
  }

  private Program start(String manifest) throws IOException {
    Path file = Files.writeString(Files.createTempFile(folder, "m", ".yaml"), manifest);
    return Program.start(
        Map.of("TMPDIR", folder.toString()),
        List.of("run", "--report=" + folder.resolve("report"), file.toString()));
  }

  /** Two workers: what they do first, what they end with, and a field of their container. */
  private String jobSet(String first, String then, String field) {
    String script = (WORKER + first + "\n" + then + "\n").indent(20);
    return """
    apiVersion: jobset.x-k8s.io/v1alpha2
    kind: JobSet
    metadata: {name: g}
    spec:
      failurePolicy: {maxRestarts: 2, restartStrategy: InPlaceRestart}
      replicatedJobs:
      - name: w
        template:
          spec:
            parallelism: 2
            completions: 2
            template:
              spec:
                terminationGracePeriodSeconds: 1
                containers:
                - name: worker
                  image: none
                  env: [{name: COST_OF, value: "%s"}]
                  command:
                  - sh
                  - -c
                  - |
    %s
                  %s
    """
        .formatted(folder, script, field);
  }
}
