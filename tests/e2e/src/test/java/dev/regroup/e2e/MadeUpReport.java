package dev.regroup.e2e;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;

/** A report as large as a test wants it, for pages. */
final class MadeUpReport {

  private static final Instant BEGAN = Instant.parse("2026-01-02T03:04:05Z");

  private MadeUpReport() {}

  /** A report of a minute with restarts in place, evenly spread. */
  static ObjectNode of(int workers, int restarts) {
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
