package dev.regroup.e2e;

import static java.util.Locale.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.testing.VirtualTerminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code regroup run} as somebody sees it who sits in front of a terminal. */
class LiveIT {

  private static final Duration LIMIT = Duration.ofSeconds(120);
  private static final int WORKERS = 4;

  /** A length of time or a share, as screens have them. */
  private static final Pattern FIGURE = Pattern.compile("(\\d+\\.\\d+)(s|%)(?![\\w.])");

  /**
   * Ten steps, some of them twice, and something that wants to reach the terminal; then it ends as
   * it is told. Worker 0 takes its time when it is to stop. In the second attempt it alone writes:
   * what a restart cost is then known as soon as it is told.
   */
  private static final String WORKER =
      """
      if [ $JOBSET_RESTART_ATTEMPT = 0 ] || [ $JOB_COMPLETION_INDEX = 0 ]; then
        i=0; while [ $i -lt 10 ]; do i=$((i+1)); echo "step $i of 40"; done
        printf "\\033]0;title\\007\\033[2J\\033[?1049l\\033[31mred\\033[0m \\033[5;5Hhere\\n"
      fi
      [ $JOB_COMPLETION_INDEX = 0 ] && trap "%s; exit 1" TERM
      %s
      [ $code = 0 ] || echo "RuntimeError: all is lost" >&2
      exit $code
      """;

  @TempDir Path folder;

  @BeforeAll
  static void requireRoot() throws Exception {
    Root.require();
  }

  @Test
  void a_group_restart_is_seen_with_its_cause_and_its_figures_are_those_of_the_report()
      throws Exception {
    try (var terminal = start(80, 24, Fifo.read("/told/stop"))) {
      terminal.awaitText(shown -> shown.contains("4/4 running"), LIMIT);
      for (int worker = 0; worker < WORKERS; worker++) {
        Fifo.await(told(0, worker), LIMIT);
      }
      assertThat(terminal.see(VirtualTerminal::isOnOtherPage)).isTrue();
      assertThat(terminal.see(VirtualTerminal::isCursorShown)).isFalse();
      assertThat(terminal.see(VirtualTerminal::lines).getFirst()).contains(" live  RUNNING  ");
      presses(terminal);
      int cleared = terminal.see(VirtualTerminal::cleared);
      Fifo.write(told(0, 2), "3");
      String last = "worker 2 exited with code 3  \"RuntimeError: all is lost\"";
      String story = // what it wrote last may be heard later than its end
          terminal.awaitText(
              shown -> shown.contains("(waiting for 0)") && shown.contains(last), LIMIT);
      assertThat(story)
          .containsPattern("^ live  RESTARTING  attempt 0 of 3 ")
          .contains(" 2 ✗")
          .containsPattern("RESTART 1  \\d+\\.\\ds  " + last)
          .containsPattern("▸ stopping \\d/4 \\(waiting for 0\\)  · barrier \\d/4  · start");
      Fifo.await(folder.resolve("told/stop"), LIMIT);
      Fifo.write(folder.resolve("told/stop"), "");
      for (int worker = 0; worker < WORKERS; worker++) {
        Fifo.await(told(1, worker), LIMIT);
      }
      var over = Pattern.compile("restarts 1  ·  down \\d+\\.\\ds");
      String after = terminal.awaitText(shown -> over.matcher(shown).find(), LIMIT);
      assertThat(terminal.see(VirtualTerminal::cleared)).as("flickers").isEqualTo(cleared);

      for (int worker = 0; worker < WORKERS; worker++) {
        Fifo.write(told(1, worker), "0");
      }
      assertThat(terminal.awaitExit(LIMIT)).isZero();
      assertLeft(terminal);
      assertThat(terminal.see(VirtualTerminal::text))
          .contains("succeeded in ")
          .contains("| RuntimeError: all is lost");
      var report = Kube.JSON.readTree(folder.resolve("report/report.json").toFile());
      assertThat(figures(terminal.see(VirtualTerminal::text)))
          .as("figures of the summary")
          .isNotEmpty()
          .isSubsetOf(figures(report, 2));
      String costs = after.lines().filter(line -> line.contains(" down ")).findFirst().orElse("");
      assertThat(figures(costs)).as("on the screen").isNotEmpty().isSubsetOf(figures(report, 1));
    }
  }

  /** The keys, in front of a group that runs and waits. */
  private static void presses(Terminal terminal) throws Exception {
    terminal.press("l2\r");
    terminal.awaitText( // a line may be heard later than what came after it is seen
        shown ->
            shown.contains("now of 2")
                && !shown.contains("live-w-0-1 |")
                && shown.contains("live-w-0-2 | step 10 of 40\n")
                && shown.contains("live-w-0-2 | ␛]0;title␇␛[2J␛[?1049lred ␛[5;5Hhere\n"),
        LIMIT);
    terminal.press("l9\r");
    terminal.awaitText(shown -> shown.contains("no worker 9: 0 to 3"), LIMIT);
    terminal.press("l\r");
    terminal.awaitText(shown -> shown.contains(" l logs of one"), LIMIT);
    terminal.press("e");
    terminal.awaitText(shown -> shown.contains("running at "), LIMIT);
    terminal.press("\u001a"); // Ctrl-Z: nothing; an arrow, too
    terminal.press("\u001b[A");
    terminal.resize(120, 40);
    terminal.await(shown -> shown.lines().get(39).startsWith(" e logs  r restarts"), LIMIT);
    terminal.resize(80, 24);
    terminal.await(shown -> shown.lines().get(23).startsWith(" e logs  r restarts"), LIMIT);
    terminal.press("r");
    terminal.awaitText(shown -> shown.contains(" e events  r logs"), LIMIT);
    terminal.press("r");
    terminal.awaitText(shown -> shown.contains(" l logs of one"), LIMIT);
    assertThat(terminal.see(VirtualTerminal::strange)).isEmpty();
  }

  @Test
  void leaving_it_stops_the_workers_and_puts_the_terminal_right() throws Exception {
    try (var terminal = start(200, 50)) {
      terminal.awaitText(shown -> shown.contains("4/4 running"), LIMIT);

      terminal.press("q");
      terminal.awaitText(shown -> shown.contains("STOPPING"), LIMIT);

      assertThat(terminal.awaitExit(LIMIT)).isEqualTo(130);
      assertLeft(terminal);
      assertThat(terminal.see(VirtualTerminal::text)).contains("interrupted after ");
    }
  }

  @Test
  void a_signal_puts_the_terminal_right_too() throws Exception {
    try (var terminal = start(80, 24)) {
      terminal.awaitText(shown -> shown.contains("4/4 running"), LIMIT);

      assertThat(terminal.process().destroy()).isTrue();

      assertThat(terminal.awaitExit(LIMIT)).isEqualTo(130);
      assertLeft(terminal);
    }
  }

  @Test
  void a_run_whose_terminal_is_closed_stops_its_workers_and_leaves_its_report() throws Exception {
    var before = Machine.now(folder.toString());
    try (var terminal = start(80, 24)) {
      terminal.awaitText(shown -> shown.contains("4/4 running"), LIMIT);
      var made = Machine.madeBy(data());

      terminal.tearAway();

      assertThat(terminal.awaitExit(LIMIT)).isEqualTo(130);
      before.assertNothingIsLeft(folder.toString(), made);
    }
    var report = Kube.JSON.readTree(folder.resolve("report/report.json").toFile());
    assertThat(report.path("result").asText()).isEqualTo("interrupted");
  }

  private static void assertLeft(Terminal terminal) throws IOException {
    assertThat(terminal.see(VirtualTerminal::isOnOtherPage)).isFalse();
    assertThat(terminal.see(VirtualTerminal::isCursorShown)).isTrue();
    assertThat(terminal.see(VirtualTerminal::strange)).isEmpty();
    assertThat(terminal.isAsBefore()).isTrue();
  }

  private Terminal start(int columns, int rows) throws IOException {
    return start(columns, rows, "sleep 1");
  }

  /** The same; worker 0 does this before it stops. */
  private Terminal start(int columns, int rows, String before) throws IOException {
    String script =
        WORKER.formatted(before, Fifo.read("/told/$JOBSET_RESTART_ATTEMPT-$JOB_COMPLETION_INDEX"));
    Path told = Files.createDirectory(folder.resolve("told"));
    Path tmp = Files.createDirectory(folder.resolve("tmp"));
    Path manifest =
        Files.writeString(
            folder.resolve("live.yaml"),
            """
            apiVersion: jobset.x-k8s.io/v1alpha2
            kind: JobSet
            metadata: {name: live, annotations: {regroup.dev/restart-grace: "100"}}
            spec:
              failurePolicy: {maxRestarts: 3, restartStrategy: InPlaceRestart}
              replicatedJobs:
              - name: w
                template:
                  spec:
                    parallelism: %d
                    completions: %1$d
                    template:
                      spec:
                        terminationGracePeriodSeconds: 3
                        containers:
                        - name: worker
                          image: none
                          command:
                          - sh
                          - -c
                          - |
            %s
                          volumeMounts: [{name: told, mountPath: /told}]
                        volumes: [{name: told, hostPath: {path: %s}}]
            """
                .formatted(WORKERS, script.indent(16).stripTrailing(), told));
    return Terminal.start(
        columns,
        rows,
        Map.of("TMPDIR", tmp.toString()),
        List.of("run", "--report=" + folder.resolve("report"), manifest.toString()));
  }

  /** Where a worker waits for its exit code. */
  private Path told(int attempt, int worker) {
    return folder.resolve("told/%d-%d".formatted(attempt, worker));
  }

  private Path data() throws IOException {
    try (var runs = Files.newDirectoryStream(folder.resolve("tmp"), "regroup-run-*")) {
      return runs.iterator().next().resolve("data");
    }
  }

  /** All that a screen says. */
  private static List<String> figures(String text) {
    return FIGURE.matcher(text).results().map(found -> found.group(1) + found.group(2)).toList();
  }

  /** All that a report carries, in the forms in which a screen may say them. */
  private static TreeSet<String> figures(JsonNode report, int places) {
    var figures = new TreeSet<String>();
    var left = new ArrayList<>(List.of(report));
    while (!left.isEmpty()) {
      var node = left.removeLast();
      node.forEach(left::add);
      node.properties()
          .forEach(field -> {
            double value = field.getValue().asDouble();
            if (field.getKey().equals("ratio")) {
              figures.add(String.format(ROOT, "%.1f%%", Math.floor(value * 1000) / 10));
            } else if (field.getKey().toLowerCase(ROOT).endsWith("seconds")) {
              figures.add(String.format(ROOT, "%." + places + "fs", value));
            }
          });
    }
    report.path("hints").forEach(hint -> figures.addAll(figures(hint.asText())));
    return figures;
  }
}
