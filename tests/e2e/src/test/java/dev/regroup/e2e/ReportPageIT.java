package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.cli.report.ReportPage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a report in a real browser, from a file, as users open it. */
class ReportPageIT {

  private static final Instant BEGAN = Instant.parse("2026-01-02T03:04:05Z");
  private static final String READY = "globalThis.timeline !== undefined";
  private static final String EVIL =
      "<img src=x onerror=\"window.evil=1\"></script><script>window.evil=1</script>";

  @TempDir Path folder;

  @Test
  void a_restart_is_found_and_told_by_the_keyboard_alone() throws Exception {
    try (var browser = Browser.open(folder, 1280, 900)) {
      browser.open(page(report(4, 2)), READY);
      keepPicture(browser, "report-light.png");

      browser.evaluate("document.querySelector('canvas').focus()");
      browser.press("n");

      assertThat(browser.evaluate("document.querySelector('aside').innerText").asText())
          .contains("restart 1", "3.00s down", "container worker exited with code 1", "stopped");
      browser.press("n");
      assertThat(browser.evaluate("document.querySelector('aside').innerText").asText())
          .contains("restart 2");
      double shown = browser.evaluate("timeline.view.to - timeline.view.from").asDouble();
      browser.press("-");
      assertThat(browser.evaluate("timeline.view.to - timeline.view.from").asDouble())
          .isGreaterThan(shown);
      browser.press("0");
      assertThat(browser.evaluate("timeline.view.to - timeline.view.from").asDouble())
          .isEqualTo(60);
      assertThat(browser.complaints()).isEmpty();
    }
  }

  @Test
  void the_page_says_the_figures_of_the_report() throws Exception {
    try (var browser = Browser.open(folder, 1280, 900)) {
      browser.open(page(report(4, 2)), READY);

      assertThat(browser.evaluate("document.title").asText()).isEqualTo("training succeeded");
      assertThat(browser.evaluate("document.querySelector('.facts').innerText").asText())
          .contains("90.0%", "1:00", "6.00s", "step", "400 of 400");
      assertThat(browser.evaluate("document.querySelector('main').innerText").asText())
          .contains("training-worker-0-3", "waited for pod-1 (1.80s)", "What happened");
    }
  }

  @Test
  void markup_in_names_logs_and_messages_is_text() throws Exception {
    var report = report(4, 1);
    report.withArray("/why").add(EVIL);
    report.withObject("/workloads/0").put("name", EVIL);
    report.withObject("/workers/0").put("pod", EVIL).put("worker", EVIL);
    report.withObject("/restarts/0").put("cause", EVIL);
    report.withObject("/restarts/0/culprit").putArray("log").add(EVIL);
    report.putArray("hints").add(EVIL);
    report.withArray("/story").addObject().put("seconds", 1).put("text", EVIL);
    try (var browser = Browser.open(folder, 1280, 900)) {
      browser.open(page(report), READY);

      assertThat(browser.evaluate("window.evil === undefined").asBoolean()).isTrue();
      assertThat(browser.evaluate("document.querySelectorAll('img').length").asInt()).isZero();
      assertThat(browser.evaluate("document.querySelector('main').innerText").asText())
          .contains(EVIL);
      assertThat(browser.complaints()).isEmpty();
    }
  }

  @Test
  void dark_machines_get_a_dark_page() throws Exception {
    try (var browser = Browser.open(folder, 1280, 900)) {
      browser.prefer("dark");
      browser.open(page(report(8, 3)), READY);
      keepPicture(browser, "report-dark.png");

      assertThat(browser.evaluate("getComputedStyle(document.body).backgroundColor").asText())
          .isEqualTo("rgb(20, 23, 27)");
    }
  }

  @Test
  void a_thousand_workers_with_twenty_restarts_stay_fluid() throws Exception {
    try (var browser = Browser.open(folder, 1600, 1000)) {
      browser.open(page(report(1000, 20)), READY);
      keepPicture(browser, "report-1000.png");

      double built =
          browser.evaluate("performance.getEntriesByType('paint').at(-1).startTime").asDouble();
      // How long the page itself needs for a frame: what else the machine does is not its fault.
      double frame =
          browser
              .evaluate(
                  """
                  (() => {
                    const times = [];
                    for (let i = 0; i < 60; i++) {
                      timeline.zoom(i < 30 ? 0.9 : 1.1, 30);
                      timeline.scroll(i < 30 ? 20 : -20);
                      const begin = performance.now();
                      timeline.paint();
                      times.push(performance.now() - begin);
                    }
                    return times.sort((a, b) => a - b)[30];
                  })()\
                  """)
              .asDouble();

      System.out.printf(
          "report page, 1,000 x 20: first paint %.0f ms, frame %.1f ms%n", built, frame);
      assertThat(frame).as("milliseconds of a frame").isLessThan(33);
    }
  }

  /** Beside the other results of the build, to be looked at. */
  private static void keepPicture(Browser browser, String name) throws Exception {
    Path pictures = Files.createDirectories(Path.of("target", "pictures"));
    browser.screenshot(pictures.resolve(name));
  }

  private java.net.URI page(ObjectNode report) throws Exception {
    Path file = folder.resolve("report.html");
    Files.writeString(file, ReportPage.of(report));
    return file.toUri();
  }

  /** A report of a minute with restarts in place, evenly spread. */
  private static ObjectNode report(int workers, int restarts) {
    var report = JsonNodeFactory.instance.objectNode();
    report.put("format", "regroup.dev/report").put("version", 1).put("program", "regroup 0");
    report.put("result", "succeeded").put("began", BEGAN.toString()).put("seconds", 60);
    report.putArray("workloads").addObject().put("kind", "JobSet").put("name", "training");
    report
        .putObject("goodput")
        .put("ratio", 0.9)
        .put("usefulSeconds", 54)
        .put("startingSeconds", 1.5)
        .put("downSeconds", 3.0 * restarts)
        .put("redoingSeconds", 0.5)
        .put("measure", "steps");
    report.putObject("progress").put("step", 400).put("total", 400);
    var all = report.putArray("restarts");
    double length = 58.0 / restarts;
    for (int r = 0; r < restarts; r++) {
      double from = 2 + r * length + length / 3;
      double unit = Math.min(1, length / 6);
      var restart = all.addObject();
      restart.put("number", r + 1).put("kind", "inPlace").put("workload", "jobset/training");
      restart.put("attempt", r + 1).put("began", time(from)).put("works", time(from + 3 * unit));
      restart.put("back", time(from + 3.5 * unit)).put("downSeconds", 3);
      restart.put("reachedStep", 180).put("resumedStep", 151).put("redoneSteps", 30);
      restart.put("cause", "pod-2: container worker exited with code 1");
      var culprit = restart.putObject("culprit");
      culprit.put("pod", "pod-2").putArray("log").add("RuntimeError: loss is NaN");
      restart.putArray("waits").addObject().put("pod", "pod-1").put("seconds", 1.8);
      var stages = restart.putArray("stages");
      stages.addObject().put("until", "noticed").put("seconds", 0.1);
      stages.addObject().put("until", "stopped").put("seconds", 2.0);
      stages.addObject().put("until", "lifted").put("seconds", 0.2);
      stages.addObject().put("until", "first output").put("seconds", 0.7);
      var pods = restart.putArray("pods");
      for (int w = 0; w < workers; w++) {
        var pod = pods.addObject();
        pod.put("pod", "pod-" + w).put("role", w == (r * 7 + 2) % workers ? "culprit" : "follower");
        pod.putObject("moments")
            .put("exitSeen", time(from))
            .put("stopped", time(from + unit))
            .put("atBarrier", time(from + (1.2 + 0.2 * (w % 3)) * unit))
            .put("lifted", time(from + 2 * unit))
            .put("running", time(from + 2.1 * unit))
            .put("firstOutput", time(from + (2.6 + 0.1 * (w % 4)) * unit));
      }
    }
    var list = report.putArray("workers");
    for (int w = 0; w < workers; w++) {
      list.addObject()
          .put("worker", "training-worker-0-" + w)
          .put("pod", "pod-" + w)
          .put("rank", w)
          .put("phase", "Succeeded")
          .put("attempt", restarts)
          .put("restarts", restarts)
          .put("started", time(0.3));
    }
    report
        .putArray("story")
        .addObject()
        .put("seconds", 0.1)
        .put("text", "jobset/training: created");
    return report;
  }

  private static String time(double seconds) {
    return BEGAN.plusMillis(Math.round(seconds * 1000)).toString();
  }
}
