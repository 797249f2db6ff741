package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every example that needs nothing but this machine runs, and ends as its first lines say. Those
 * that can go together share one run: its report tells them apart. {@link TrainingIT} runs the one
 * of the README, {@link FrameworksIT} those that need packages, {@link KepStoriesIT} those with
 * agents.
 */
@Order(3)
class ExamplesIT {

  private static final Path EXAMPLES = Path.of("../../examples");
  private static final Duration LIMIT = Duration.ofSeconds(180);

  /** Two manifests of a proposal that speak of the same pod cannot run at the same time. */
  private static final String SECOND_OF_A_NAME = "kep-5532-watcher-later-text.yaml";

  @TempDir Path folder;

  @BeforeAll
  static void requireRoot() throws Exception {
    Root.require();
  }

  @Test
  void workers_that_fail_in_every_way_are_restarted_and_their_work_is_done() throws Exception {
    var report =
        report(
            0,
            List.of("--set", "podRestartBackOff=off"),
            named(
                "hang",
                "oom",
                "java",
                "driver-and-workers",
                "queue-worker",
                "sidecar-fails",
                "rerun-init",
                "retry-in-place"));

    assertThat(causes(report, "jobset/hang"))
        .singleElement()
        .asString()
        .matches("hang-worker-0-1-\\w+: container worker was stopped, its liveness probe failed");
    assertThat(causes(report, "jobset/oom"))
        .singleElement()
        .asString()
        .matches("oom-worker-0-1-\\w+: container worker ran out of memory \\(OOMKilled\\)");
    assertThat(causes(report, "jobset/java"))
        .singleElement()
        .asString()
        .matches("java-worker-0-1-\\w+: container worker exited with code 1");
    assertThat(causes(report, "jobset/squares"))
        .singleElement()
        .asString()
        .matches("squares-worker-0-1-\\w+: container worker exited with code 1");
    assertThat(causes(report, "job/queue-worker")).hasSize(3); // apples, pears, plums
    assertThat(causes(report, "job/sidecar-fails")).hasSize(1);
    assertThat(causes(report, "job/rerun-init")).hasSize(1);
    assertThat(causes(report, "job/retry-in-place")).isEmpty(); // its container alone
    assertThat(restarts(report).toList())
        .noneMatch(one -> one.path("kind").asText().equals("recreation"));
    assertThat(output("java")).contains("the 12th step is hard");
    assertThat(output("squares-driver-0-0")).contains("the sum is 20540");
    assertThat(output("queue-worker"))
        .containsSubsequence("counts apples", "counts pears", "counts plums", "queue is empty");
    assertThat(output("sidecar-fails")).contains("done").doesNotContain("no longer good");
    assertThat(output("rerun-init").split("the settings are good", -1)).hasSize(3); // twice
    assertThat(output("retry-in-place")).contains("try again", "this time it works");
  }

  @Test
  void what_no_restart_can_help_fails_at_once_and_says_who_is_to_blame() throws Exception {
    var manifests = named("fatal", "cancel");
    var report = report(1, List.of(), manifests);
    for (int again = 1; again < 3 && isSlow(report); again++) { // the machine may do other things
      report = report(1, List.of(), manifests);
    }

    assertThat(report.path("restarts")).isEmpty();
    assertThat(report.path("failures").findValuesAsText("words"))
        .containsExactlyInAnyOrder(
            "container worker exited with code 3",
            "TerminatedOnCompletion: Container orchestrator exited with code 1, ending the pod");
    assertThat(report.path("failures").findValuesAsText("pod"))
        .anyMatch(pod -> pod.startsWith("fatal-worker-0-1-"));
    assertThat(isSlow(report)).as("a grace is waited out: %s", report).isFalse();
    assertThat(output("cancel")).contains("saves what it has");
  }

  /** Took as long as the grace of a worker. */
  private static boolean isSlow(JsonNode report) {
    return report.path("seconds").asDouble() >= 30;
  }

  @Test
  void the_manifests_of_the_proposals_succeed_but_for_those_that_say_why_not() throws Exception {
    var runnable = new ArrayList<Path>();
    try (Stream<Path> files = Files.list(EXAMPLES.resolve("kep"))) {
      for (Path file : files.sorted().toList()) {
        boolean runs = !Files.readAllLines(file).getFirst().contains("Does not run");
        if (runs && !file.toString().contains("-story-")) {
          runnable.add(file);
        }
      }
    }

    assertThat(runnable).hasSizeGreaterThan(5);
    assertThat(runnable.removeIf(file -> file.endsWith(SECOND_OF_A_NAME))).isTrue();
    var first = report(0, List.of(), runnable);
    var second = report(0, List.of(), List.of(EXAMPLES.resolve("kep").resolve(SECOND_OF_A_NAME)));

    assertThat(causes(first, "pod/my-ml-worker")).hasSize(1);
    assertThat(causes(first, "jobset/jobset-example-recreate-all-pods"))
        .singleElement()
        .asString()
        .contains("exited with code 1");
    assertThat(causes(second, "pod/my-ml-worker")).hasSize(1);
  }

  private static List<Path> named(String... names) {
    return Stream.of(names).map(name -> EXAMPLES.resolve(name + ".yaml")).toList();
  }

  /** Runs them together; the run must end with this code. */
  private JsonNode report(int code, List<String> options, List<Path> manifests) throws Exception {
    var arguments = new ArrayList<>(List.of("run", "--timeout=150s", "--keep"));
    arguments.add("--report=" + folder.resolve("report"));
    arguments.addAll(options);
    manifests.forEach(manifest -> arguments.add(manifest.toString()));
    try (var run = Program.start(Map.of("TMPDIR", folder.toString()), arguments)) {
      assertThat(run.awaitExit(LIMIT)).as(run.output()).isEqualTo(code);
    }
    return Kube.JSON.readTree(folder.resolve("report/report.json").toFile());
  }

  private static Stream<JsonNode> restarts(JsonNode report) {
    return Stream.iterate(0, i -> i + 1)
        .limit(report.path("restarts").size())
        .map(report.path("restarts")::path);
  }

  /** Of every restart of this workload; empty where a pod restarted by a rule of its own. */
  private static List<String> causes(JsonNode report, String workload) {
    return restarts(report)
        .filter(one -> one.path("workload").asText().equals(workload))
        .map(one -> one.path("cause").asText())
        .toList();
  }

  /** What the pods wrote whose names begin like this. */
  private String output(String pod) throws IOException {
    var text = new StringBuilder();
    try (Stream<Path> files = Files.walk(folder.resolve("report/logs"))) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        if (folder.resolve("report/logs").relativize(file).toString().contains(pod)) {
          text.append(Files.readString(file));
        }
      }
    }
    return text.toString();
  }
}
