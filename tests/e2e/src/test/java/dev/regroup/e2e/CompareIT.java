package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same failure with both strategies: measured from the same facts, and honest about them. */
class CompareIT {

  private static final Duration LIMIT = Duration.ofSeconds(360);

  /**
   * The second worker fails once, and the first does not get ahead of it before; who has done 24
   * steps is done.
   */
  private static final String STEPS =
      "trap \"exit 143\" TERM; n=$(cat /d/$U 2>/dev/null || echo 0);"
          + " echo . >> /d/s$U-$JOB_COMPLETION_INDEX;"
          + " while [ $n -lt 24 ]; do n=$((n+1)); echo step $n of 24;"
          + " [ $JOB_COMPLETION_INDEX = 0 ] || [ $n != 6 ] || [ $(wc -l < /d/s$U-1) != 1 ]"
          + " || exit 3;"
          + " until [ $JOB_COMPLETION_INDEX = 1 ] || [ $n != 6 ] ||"
          + " [ $(cat /d/s$U-1 2>/dev/null | wc -l) -ge 2 ]; do sleep 0.1; done;"
          + " [ $((n%%4+JOB_COMPLETION_INDEX)) != 0 ] || echo $n > /d/$U;"
          + " sleep 0.2; done";

  @TempDir Path folder;

  @BeforeAll
  static void requireRoot() throws Exception {
    Root.require();
  }

  @Test
  void both_strategies_meet_the_same_failure_and_the_table_is_what_the_reports_say()
      throws Exception {
    Path reports = folder.resolve("reports");

    String said = compare(0, manifest(STEPS), "--report", reports.toString());

    assertThat(said)
        .contains("regroup: filled in for Recreate, so that a failed worker restarts the group")
        .contains("  w backoffLimit: 0")
        .contains("run 1 of 2: InPlaceRestart")
        .contains("run 2 of 2: Recreate")
        .containsPattern("result +succeeded +succeeded")
        .containsPattern("restarts +1 +1\\n");
    assertThat(
            said.substring(said.indexOf("                                      Recreate")).lines())
        .allMatch(line -> line.length() <= 80);
    var tree = Kube.JSON.readTree(reports.resolve("comparison.json").toFile());
    for (var run : tree.path("runs")) {
      String strategy = run.path("restartStrategy").asText();
      var report = Kube.JSON.readTree(reports.resolve(strategy).resolve("report.json").toFile());
      assertThat(run.path("seconds")).isEqualTo(report.path("seconds"));
      assertThat(run.path("downSeconds").asDouble())
          .isEqualTo(restart(report).path("downSeconds").asDouble());
      assertThat(restart(report).path("kind").asText())
          .isEqualTo(strategy.equals("Recreate") ? "recreation" : "inPlace");
      if (strategy.equals("InPlaceRestart")) { // pods that are gone may not have told their last
        assertThat(run.path("redoneSteps").asInt()).as("%s", run).isPositive();
      }
    }
  }

  @Test
  void what_cannot_be_compared_is_refused_before_anything_starts() throws Exception {
    Path pod =
        Files.writeString(
            folder.resolve("pod.yaml"),
            "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image:"
                + " i, command: [\"true\"]}]}}");

    assertThat(compare(1, pod)).contains("nothing to compare: no JobSet in the files");
    Path never =
        Files.writeString(folder.resolve("never.yaml"), text("true").replace(": 3", ": 0"));
    assertThat(compare(1, never)).contains("jobset/tiny may not restart (set it to 1 or more)");
    assertThat(compare(2, never, "--chaos", "hit worker 1")).contains("\"hit\": no such action");
  }

  private static JsonNode restart(JsonNode report) {
    assertThat(report.path("restarts")).hasSize(1);
    return report.path("restarts").get(0);
  }

  private String compare(int code, Path file, String... options) throws Exception {
    var arguments = new ArrayList<>(List.of("compare", "--timeout", "150s"));
    arguments.addAll(List.of(options));
    arguments.add(file.toString());
    try (var program = Program.start(Map.of("TMPDIR", folder.toString()), arguments)) {
      assertThat(program.awaitExit(LIMIT)).as(program.output()).isEqualTo(code);
      return program.output();
    }
  }

  private Path manifest(String script) throws Exception {
    return Files.writeString(folder.resolve("tiny.yaml"), text(script));
  }

  private String text(String script) {
    return """
    apiVersion: jobset.x-k8s.io/v1alpha2
    kind: JobSet
    metadata: {name: tiny}
    spec:
      failurePolicy: {maxRestarts: 3}
      replicatedJobs:
      - name: w
        template:
          spec:
            parallelism: 2
            completions: 2
            template:
              spec:
                containers:
                - name: worker
                  image: none
                  command: [sh, -c, '%s']
                  env:
                  - name: U
                    valueFrom:
                      fieldRef: {fieldPath: "metadata.labels['jobset.sigs.k8s.io/jobset-uid']"}
                  volumeMounts: [{name: d, mountPath: /d}]
                volumes: [{name: d, hostPath: {path: %s}}]
    """
        .formatted(script.replace("%%", "%"), folder);
  }
}
