package dev.regroup.cli.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.cli.live.ViewModel.Line;
import dev.regroup.cli.live.ViewModel.Page;
import dev.regroup.cli.live.ViewModel.Purpose;
import dev.regroup.cli.run.RunProgress.Result;
import dev.regroup.cli.run.RunView;
import dev.regroup.cli.run.RunView.Sign;
import dev.regroup.rules.progress.Goodput;
import dev.regroup.rules.progress.ProgressStep;
import dev.regroup.rules.progress.RestartCost.Measure;
import dev.regroup.testing.VirtualTerminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What is seen, as texts that somebody approved: files beside this class. {@code -Dframes=fix}
 * writes them again; look at the difference before you keep it.
 */
class FrameTest {

  private static final Instant BEGAN = Instant.parse("2026-01-01T00:00:00Z");
  private static final Path APPROVED = Path.of("src/test/resources/dev/regroup/cli/live");

  private static final RunView.Blame BLAME =
      new RunView.Blame(
          "training-worker-0-2-bnjz4: container worker exited with code 1",
          "training-worker-0-2-bnjz4",
          "exited with code 1",
          "RuntimeError: the connection was reset by a peer");

  private static final List<RunView.Told> ONE_RESTART =
      List.of(
          new RunView.Told(
              1, BEGAN.plusSeconds(61), Duration.ofMillis(2_310), Duration.ofMillis(520), BLAME));

  @ParameterizedTest
  @CsvSource({
    "starting, 4, 80, 24",
    "running, 4, 80, 24",
    "running, 4, 120, 40",
    "running, 64, 120, 40",
    "running, 500, 200, 50",
    "running, 500, 80, 24",
    "restarting, 4, 80, 24",
    "restarting, 64, 80, 24",
    "restarting, 500, 120, 40",
    "restarting, 4, 120, 40",
    "restarting, 4, 200, 50",
    "restarting, 64, 120, 40",
    "restarting, 64, 200, 50",
    "restarting, 500, 80, 24",
    "restarting, 500, 200, 50",
    "running, 4, 200, 50",
    "running, 64, 80, 24",
    "running, 64, 200, 50",
    "running, 500, 120, 40",
    "noticing, 64, 120, 40",
    "lifted, 4, 80, 24",
    "waking, 64, 80, 24",
    "failed, 4, 80, 24",
    "finished, 4, 80, 24",
    "unschedulable, 4, 80, 24",
    "events, 4, 80, 24",
    "restarts, 4, 80, 24",
    "typing, 4, 80, 24"
  })
  void a_state_looks_like_this(String state, int workers, int columns, int rows)
      throws IOException {
    var frame = Frame.of(view(state, workers), columns, rows);

    assertThat(frame).hasSize(rows);
    assertThat(frame).allMatch(line -> Columns.width(line) <= columns);
    String text = seen(frame, columns, rows);
    Path file = APPROVED.resolve("%s-%d-%dx%d.txt".formatted(state, workers, columns, rows));
    if ("fix".equals(System.getProperty("frames"))) {
      Files.createDirectories(APPROVED);
      Files.writeString(file, text);
    }
    assertThat(text).isEqualTo(Files.readString(file));
  }

  @Test
  void who_asks_for_a_worker_that_is_not_there_learns_which_are() {
    assertThat(keysWithLogsOf(3)).isEqualTo(" l logs (now of 3)  e events  r restarts  q leave");
    assertThat(keysWithLogsOf(4)).startsWith(" l logs (no worker 4: 0 to 3)  e events");
  }

  private static String keysWithLogsOf(int chosen) {
    var model =
        new ViewModel(
            running(4),
            BEGAN,
            null,
            Optional.empty(),
            Set.of(),
            Page.LOGS,
            List.of(),
            chosen,
            null,
            Purpose.WATCH,
            false);
    return Frame.of(model, 80, 24).getLast();
  }

  @Test
  void the_smallest_terminal_gets_a_frame_too() {
    assertThat(Frame.of(view("restarting", 500), 5, 2)).isNotEmpty();
  }

  @Test
  void wide_letters_and_marks_count_as_what_they_take() {
    assertThat(Columns.width("日本")).isEqualTo(4);
    assertThat(Columns.width("e\u0301")).isEqualTo(1);
    assertThat(Columns.cut("日本語", 5)).isEqualTo("日本…");
    assertThat(Columns.cut("a\tb", 20)).isEqualTo("a       b");
  }

  @Test
  void only_lines_that_differ_are_written_and_colours_stay_above_the_logs() {
    var before = Frame.of(view("running", 4), 80, 24);

    assertThat(Paint.changes(before, before)).isEmpty();
    var after = new ArrayList<>(before);
    after.set(10, "step ● 213");
    assertThat(Paint.changes(before, after)).isEqualTo("\u001b[11;1Hstep ● 213\u001b[K");
    assertThat(Paint.changes(List.of(), before)).contains("\u001b[32m●");
  }

  /** Between the old pods and the new ones there may be none for a moment. */
  @Test
  void a_recreation_without_pods_has_started_nothing() {
    for (int number : List.of(0, 2)) {
      var view = underWay(number, RunView.Stage.MADE_ANEW, _ -> Sign.STARTING);

      assertThat(Frame.of(view, 80, 24))
          .anyMatch(line -> line.startsWith(" RECREATION 2  "))
          .anyMatch(line -> line.startsWith("   ▸ made anew, 0/%d run".formatted(number)));
    }
  }

  /** What somebody reads must not move when a restart begins. */
  @Test
  void a_restart_of_a_few_workers_takes_no_line_more() {
    var running = Frame.of(view("running", 4), 80, 24);

    for (var state : List.of("restarting", "noticing", "lifted", "waking")) {
      assertThat(Frame.of(view(state, 4), 80, 24).indexOf("─".repeat(80)))
          .as(state)
          .isEqualTo(running.indexOf("─".repeat(80)));
    }
  }

  /** As a terminal of this size shows it that had shown something else. */
  private static String seen(List<String> frame, int columns, int rows) {
    var before = Frame.of(view("starting", 4), columns, rows);
    var terminal = new VirtualTerminal(columns, rows);
    terminal.take(Paint.changes(List.of(), before));

    terminal.take(Paint.changes(before, frame));

    assertThat(terminal.strange()).isEmpty();
    return terminal.text();
  }

  private static ViewModel view(String state, int number) {
    return switch (state) {
      case "starting" ->
          model(run(number, _ -> Sign.STARTING, Optional.empty(), List.of()), 2, Page.LOGS, null);
      case "restarting" ->
          restarting(
              number, i -> i == 2 ? Sign.CULPRIT : i % 3 == 0 ? Sign.STOPPING : Sign.AT_BARRIER);
      case "noticing" -> // the culprit is back already, and most have not heard of it
          restarting(
              number, i -> i == 2 ? Sign.AT_BARRIER : i % 5 == 0 ? Sign.STOPPING : Sign.RUNNING);
      case "lifted" ->
          underWay(
              number, RunView.Stage.PAST_BARRIER, i -> i == 1 ? Sign.AT_BARRIER : Sign.RUNNING);
      case "waking" ->
          underWay(number, RunView.Stage.PAST_BARRIER, _ -> Sign.RUNNING); // nothing written yet
      case "failed" -> {
        var run =
            run(number, i -> i == 2 ? Sign.CULPRIT : Sign.DONE, Optional.empty(), ONE_RESTART);
        yield model(ended(run, Result.FAILED), 134, Page.LOGS, null);
      }
      case "finished" -> {
        var run = run(number, _ -> Sign.DONE, Optional.empty(), ONE_RESTART);
        yield model(ended(run, Result.SUCCEEDED), 134, Page.LOGS, null);
      }
      case "unschedulable" -> {
        var run = run(number, _ -> Sign.UNSCHEDULABLE, Optional.empty(), List.of());
        yield model(
            new RunView(
                run.title(),
                run.result(),
                run.began(),
                run.attempt(),
                run.maxRestarts(),
                Optional.empty(),
                null,
                run.workers(),
                run.restart(),
                run.restarts(),
                List.of("pod/x: cannot be scheduled: 0/1 nodes are available: 1 Insufficient cpu")),
            3,
            Page.LOGS,
            null);
      }
      case "events" -> model(running(number), 134, Page.EVENTS, null);
      case "restarts" -> model(running(number), 134, Page.RESTARTS, null);
      case "typing" -> model(running(number), 134, Page.LOGS, "12");
      default -> model(running(number), 134, Page.LOGS, null);
    };
  }

  private static ViewModel restarting(int number, IntFunction<Sign> sign) {
    return underWay(number, RunView.Stage.HELD_BACK, sign);
  }

  private static ViewModel underWay(int number, RunView.Stage stage, IntFunction<Sign> sign) {
    var restart = new RunView.UnderWay(stage, 2, BEGAN.plusSeconds(133), BLAME);
    return model(run(number, sign, Optional.of(restart), ONE_RESTART), 134, Page.LOGS, null);
  }

  private static RunView running(int number) {
    return run(number, _ -> Sign.RUNNING, Optional.empty(), ONE_RESTART);
  }

  private static RunView ended(RunView run, Result result) {
    return new RunView(
        run.title(),
        Optional.of(result),
        run.began(),
        run.attempt(),
        run.maxRestarts(),
        run.goodput(),
        run.step(),
        run.workers(),
        run.restart(),
        run.restarts(),
        run.troubles());
  }

  private static RunView run(
      int number,
      IntFunction<Sign> sign,
      Optional<RunView.UnderWay> underWay,
      List<RunView.Told> restarts) {
    var workers = new ArrayList<RunView.Worker>();
    for (int i = 0; i < number; i++) {
      workers.add(
          new RunView.Worker(
              "training-worker-0-" + i,
              "training-worker-0-" + i + "-bnjz4",
              i,
              sign.apply(i),
              i == 2 && underWay.isPresent()));
    }
    var goodput =
        new Goodput(
            Duration.ofSeconds(134),
            Duration.ofSeconds(1),
            Duration.ofMillis(2_310),
            Duration.ofMillis(520),
            Measure.STEPS);
    return new RunView(
        "training",
        Optional.empty(),
        BEGAN,
        restarts.isEmpty() ? 0 : 1,
        3,
        restarts.isEmpty() ? Optional.empty() : Optional.of(goodput),
        restarts.isEmpty() ? null : new ProgressStep(212, 400, BEGAN.plusSeconds(133)),
        workers,
        underWay,
        restarts,
        List.of());
  }

  private static ViewModel model(RunView run, int second, Page page, String typed) {
    var lines = new ArrayList<Line>();
    if (run.step() != null && !run.workers().isEmpty()) {
      for (int i = 0; i < 60; i++) {
        lines.add(
            new Line(
                Duration.ofMillis(120_000 + 200 * i),
                page == Page.EVENTS ? "" : "training-worker-0-" + i % run.workers().size(),
                page == Page.EVENTS
                    ? "jobset/training: something happened for the " + i + "th time"
                    : "step %d of 400, loss 0.2191, and more that does not fit a line of eighty"
                        .formatted(150 + i)));
      }
    }
    return new ViewModel(
        run,
        BEGAN.plusSeconds(second),
        run.step(),
        run.step() == null || run.result().isPresent()
            ? Optional.empty()
            : Optional.of(Duration.ofSeconds(118)),
        run.workers().size() == 64 ? Set.of("training-worker-0-7-bnjz4") : Set.of(),
        page,
        lines,
        -1,
        typed,
        Purpose.RUN,
        false);
  }
}
