package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.pod.RestartHistories;
import dev.regroup.rules.Stages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code regroup run} says is what happened: restarts, culprits, and what it waits for. */
class RunStoryIT {

  private static final Duration LIMIT = Duration.ofSeconds(120);
  private static final String SECOND_FAILS =
      "sleep 0.3; [ $JOB_COMPLETION_INDEX = 1 ] && exit 3; exec sleep 600";

  private static final Pattern LOG_LINE =
      Pattern.compile("^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} [A-Z]+ ", Pattern.MULTILINE);

  @TempDir Path folder;

  @BeforeAll
  static void requireRoot() throws Exception {
    Root.require();
  }

  @Test
  void the_number_of_restarts_is_the_number_that_happened() throws Exception {
    String none = failing(jobSet(0, "InPlaceRestart", SECOND_FAILS, ""));
    String two = failing(jobSet(2, "InPlaceRestart", SECOND_FAILS, ""));
    String recreated =
        failing(
            jobSet(2, "Recreate", SECOND_FAILS, "")
                .replace("containers:", "restartPolicy: Never\n            containers:"));

    assertThat(none).contains(", no restarts\n  because of g-w-0-1-").doesNotContain("restart 1:");
    assertThat(two).contains(", 2 restarts\n").contains("restart 2: ").doesNotContain("restart 3:");
    assertThat(recreated).contains(", 2 recreations\n").contains("all jobs are made anew");
    for (String said : List.of(none, two, recreated)) {
      assertThat(said)
          .containsPattern("because of g-w-0-1-\\w+: container worker exited with code 3")
          .doesNotContain("code 137")
          .doesNotContain("because of g-w-0-0");
      fitsTheScreen(said);
    }
  }

  @Test
  void restarts_of_plain_pods_and_jobs_count() throws Exception {
    String twice = "n=$(cat /d/n || echo 0); echo $((n+1)) > /d/n; [ $n -ge 1 ] || exit 5";

    String pod = run(0, manifest(pod("OnFailure", twice, "")));
    String job =
        failing(
            """
            apiVersion: batch/v1
            kind: Job
            metadata: {name: j}
            spec:
              backoffLimit: 0
              template:
                spec:
                  restartPolicy: Never
                  containers: [{name: c, image: i, command: [sh, -c, exit 7]}]
            """);

    assertThat(pod).contains(", 1 container restart");
    assertThat(job)
        .contains(", no restarts\n  because of j-")
        .contains(": container c exited with code 7");
  }

  @Test
  void out_of_memory_is_called_by_its_name() throws Exception {
    String eat = "a=x; while :; do a=$a$a; done";

    String said = failing(pod("Never", eat, "resources: {limits: {memory: 48Mi}}"));

    assertThat(said).contains("because of p: container c ran out of memory (OOMKilled)");
  }

  @Test
  void a_worker_that_hangs_is_the_culprit_and_the_reason_its_probe() throws Exception {
    String hang =
        "trap \"\" TERM; touch /tmp/ok; sleep 1; [ $JOB_COMPLETION_INDEX$JOBSET_RESTART_ATTEMPT ="
            + " 10 ] && rm /tmp/ok; while [ $JOBSET_RESTART_ATTEMPT = 0 ]; do sleep 1; done; sleep"
            + " 4";
    String probe =
        "livenessProbe: {exec: {command: [test, -e, /tmp/ok]}, periodSeconds: 1, failureThreshold:"
            + " 3, timeoutSeconds: 20}"; // a busy machine is not yet a worker that hangs

    String said = run(0, manifest(jobSet(1, "InPlaceRestart", hang, probe)));

    assertThat(said)
        .containsPattern("pod/g-w-0-1-\\w+: container worker is stopped, its liveness probe failed")
        .containsPattern(
            "because of g-w-0-1-\\w+: container worker was stopped, its liveness probe failed")
        .contains(", 1 restart\n")
        .doesNotContain("because of g-w-0-0");
  }

  /** JS-169. The times of the summary are those every client can read from the pods. */
  @Test
  void who_let_the_group_wait_is_named_with_the_annotation_that_bounds_it() throws Exception {
    String slow =
        "[ $JOBSET_RESTART_ATTEMPT = 0 ] || { sleep 1; exit 0; }; [ $JOB_COMPLETION_INDEX = 0 ] ||"
            + " { sleep 2; exit 3; }; trap \"sleep 1; exit 0\" TERM; while :; do sleep 0.1; done";

    String said;
    Stages stages;
    try (var program = start(manifest(jobSet(1, "InPlaceRestart", slow, "")).toString())) {
      stages = stages(Kube.of(program.kubeconfig(LIMIT)));
      assertThat(program.awaitExit(LIMIT)).as(program.output()).isEqualTo(0);
      said = program.output();
    }

    assertThat(said.replaceAll("\\s+", " "))
        .contains("restart 1: " + seconds(stages.total()) + " down, 2 pods, slowest g-w-0-0-")
        .contains(
            stages.spans().stream()
                .filter(span -> span.took().toMillis() >= 10)
                .map(span -> span.until().words() + " " + seconds(span.took()))
                .toList())
        .containsPattern("[1-9]\\.\\d\\ds of it for g-w-0-0-\\w+ to end after the stop signal")
        .contains("hint: workers catch SIGTERM: annotation regroup.dev/restart-grace: \"0\" saves ")
        .doesNotContain("of it for g-w-0-1");
  }

  /** Of the first restart of the group, as soon as both its pods tell of it. */
  private static Stages stages(Kube kube) throws Exception {
    var moments = new HashMap<String, Map<Stages.Moment, Instant>>();
    kube.watchUntil(
        Workers.PODS,
        "",
        events -> {
          var metadata = events.getLast().path("object").path("metadata");
          RestartHistories.read(metadata.path("annotations"))
              .newest()
              .forEach(restart -> moments.put(metadata.path("name").asText(), restart.moments()));
          return moments.size() == 2;
        },
        LIMIT);
    return Stages.ofGroup(moments.values());
  }

  /** As the report has it, in whole milliseconds, and the screen shows it. */
  private static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.2fs", Math.round(duration.toNanos() / 1e6) / 1e3);
  }

  @Test
  void a_mistyped_command_is_named() throws Exception {
    String said = failing(pod("Never", "", "").replaceAll("command: .*", "command: [pyton, x.py]"));

    assertThat(said)
        .contains("because of p: container c could not start: ")
        .contains("exec: \"pyton\"")
        .doesNotContain("code 128");
  }

  @Test
  void a_run_that_waits_says_for_what_and_ends_with_its_time() throws Exception {
    Path file =
        manifest(
            pod("Never", "exit 0", "").replace("spec:\n", "spec:\n  nodeSelector: {gpu: a}\n"));

    try (var program = start("--timeout=10s", file.toString())) {
      program.awaitLine(line -> line.contains("pod/p: cannot be scheduled: 0/1 nodes"), LIMIT);
      assertThat(program.awaitExit(LIMIT)).as(program.output()).isEqualTo(4);

      assertThat(program.output())
          .containsOnlyOnce("s pod/p: cannot be scheduled")
          .containsPattern(
              "timed out after \\d+\\.\\d+s, no restarts\n  waiting for pod/p: cannot");
    }
  }

  @Test
  void what_no_file_has_is_an_error_before_anything_starts() throws Exception {
    String said = failing(pod("Never", "exit 0", "envFrom: [{configMapRef: {name: settings}}]"));

    assertThat(said)
        .contains("error: spec.containers[0].envFrom[0].configMapRef.name: ConfigMap \"settings\"")
        .endsWith("regroup: nothing was started");
  }

  @Test
  void the_first_interrupt_stops_workers_with_their_grace_the_second_at_once() throws Exception {
    var before = Machine.now(folder.toString());
    String saves = "trap \"echo saved; exit 0\" TERM; echo ready; while :; do sleep 0.1; done";
    String deaf = "trap \"echo heard\" TERM; echo ready; while :; do sleep 0.1; done";

    try (var gentle = start(manifest(pod("Never", saves, "")).toString());
        var hasty = start(manifest(pod("Never", deaf, "")).toString())) {
      gentle.awaitLine(line -> line.endsWith("| ready"), LIMIT);
      hasty.awaitLine(line -> line.endsWith("| ready"), LIMIT);
      var made = madeBy(gentle).and(madeBy(hasty));
      interrupt(gentle);
      interrupt(hasty);
      assertThat(gentle.awaitExit(LIMIT)).as(gentle.output()).isEqualTo(130);
      hasty.awaitLine(line -> line.endsWith("| heard"), LIMIT);
      interrupt(hasty);
      assertThat(hasty.awaitExit(Duration.ofSeconds(40))).as(hasty.output()).isEqualTo(130);

      assertThat(gentle.output())
          .contains("regroup: stopping 1 pod, up to 60s (Ctrl-C again ends them at once)")
          .contains("| saved")
          .containsPattern("interrupted after .*, no restarts")
          .doesNotContain("exited with")
          .doesNotContain("at once\n");
      assertThat(hasty.output())
          .contains("regroup: ending everything at once")
          .containsPattern("interrupted after .*, no restarts");
      before.assertNothingIsLeft(folder.toString(), made);
    }
  }

  @Test
  void nothing_a_container_writes_reaches_the_terminal_as_a_command() throws Exception {
    String evil =
        "printf \"\\033]0;title\\007\\033[2Jcleared\\n\\033[31mred\\n\\r10%%\\r20%%\\rdone\\n\";"
            + " exit 0";

    String said = run(0, manifest(pod("Never", evil, "")));

    assertThat(said)
        .contains("p | \u241b]0;title\u2407\u241b[2Jcleared")
        .contains("p | \u001b[31mred\u001b[0m")
        .contains("p | done")
        .doesNotContain("10%")
        .doesNotContain("\u001b]")
        .doesNotContain("\u001b[2J");
  }

  @Test
  void a_progress_bar_is_seen_long_before_its_line_ends() throws Exception {
    Path told = Files.createDirectory(folder.resolve("told"));
    String bar =
        "printf \"begin\\n\\r 10%%\\r 20%%\"; " + Fifo.read("/d/go") + "; printf \"\\r100%%\\n\"";
    Path file =
        manifest(pod("Never", bar, "").replace("emptyDir: {}", "hostPath: {path: " + told + "}"));

    try (var program = start(file.toString())) {
      program.awaitLine(line -> line.equals("p |  20%"), LIMIT);
      assertThat(program.output()).contains("p | begin").doesNotContain("100%");

      Fifo.await(told.resolve("go"), LIMIT);
      Fifo.write(told.resolve("go"), "");

      assertThat(program.awaitExit(LIMIT)).as(program.output()).isZero();
      assertThat(program.output())
          .contains("p | 100%")
          .doesNotContainPattern("\\d-\\d\\dT\\d"); // the log's own times
    }
  }

  @Test
  void the_log_of_the_parts_stays_off_the_screen_unless_it_is_asked_for() throws Exception {
    Path file = manifest(pod("Never", "", "").replaceAll("command: .*", "")); // nothing to run

    for (String option : List.of("--verbose", "--gates=product")) {
      try (var program = start(option, "--timeout=10s", file.toString())) {
        assertThat(program.awaitExit(LIMIT)).as(program.output()).isEqualTo(4);
        assertThat(program.output()).contains("cannot be configured: no command");
        assertThat(LOG_LINE.matcher(program.output()).find())
            .as(program.output())
            .isEqualTo(option.equals("--verbose"));
      }
    }
  }

  private static void fitsTheScreen(String said) {
    String summary = said.substring(said.lastIndexOf("failed in "));
    assertThat(summary.lines())
        .allMatch(line -> line.length() <= 80 || !line.strip().contains(" ")); // a path
  }

  private String failing(String text) throws Exception {
    return run(1, manifest(text));
  }

  private String run(int code, Path file) throws Exception {
    try (var program = start(file.toString())) {
      assertThat(program.awaitExit(LIMIT)).as(program.output()).isEqualTo(code);
      assertThat(program.output()).doesNotContainPattern(LOG_LINE);
      return program.output();
    }
  }

  private Program start(String... arguments) throws IOException {
    var all = new ArrayList<>(List.of("run"));
    all.addAll(List.of(arguments));
    return Program.start(Map.of("TMPDIR", folder.toString()), all);
  }

  private static Machine.Made madeBy(Program run) throws Exception {
    return Machine.madeBy(run.kubeconfig(LIMIT).resolveSibling("data"));
  }

  private static void interrupt(Program program) throws Exception {
    var kill = new ProcessBuilder("kill", "-INT", "" + program.pid()).start();
    assertThat(kill.waitFor()).isZero();
  }

  private Path manifest(String text) throws IOException {
    return Files.writeString(Files.createTempFile(folder, "m", ".yaml"), text);
  }

  private static String pod(String policy, String script, String field) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: p}
    spec:
      restartPolicy: %s
      terminationGracePeriodSeconds: 60
      containers:
      - name: c
        image: none
        command: [sh, -c, '%s']
        volumeMounts: [{name: d, mountPath: /d}]
        %s
      volumes: [{name: d, emptyDir: {}}]
    """
        .formatted(policy, script, field);
  }

  private static String jobSet(int maxRestarts, String strategy, String script, String field) {
    return """
    apiVersion: jobset.x-k8s.io/v1alpha2
    kind: JobSet
    metadata: {name: g}
    spec:
      failurePolicy: {maxRestarts: %d, restartStrategy: %s}
      replicatedJobs:
      - name: w
        template:
          spec:
            parallelism: 2
            completions: 2
            backoffLimit: %d
            template:
              spec:
                terminationGracePeriodSeconds: 1
                containers:
                - name: worker
                  image: none
                  command: [sh, -c, '%s']
                  %s
    """
        .formatted(
            maxRestarts,
            strategy,
            strategy.equals("Recreate") ? 0 : Integer.MAX_VALUE,
            script,
            field);
  }
}
