package dev.regroup.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * A report in a few lines: how the run ended and because of whom, which share of its time was of
 * use, its restarts and where their time went. At most 80 columns, unless a single word is longer.
 */
public final class ReportText {

  private static final int WIDTH = 80;
  private static final int MOST = 10; // restarts that are told one by one
  private static final int MOST_NAMES = 3;
  private static final int LOG_LINES = 5; // of whoever made it fail
  private static final int FEW_LINES = 2; // of whoever caused a restart

  private final JsonNode report;
  private final List<String> lines = new ArrayList<>();

  private ReportText(JsonNode report) {
    this.report = report;
  }

  public static String of(JsonNode report) {
    var text = new ReportText(report);
    text.write();
    return String.join("\n", text.lines);
  }

  private void write() {
    add(
        "%s %s, %s"
            .formatted(
                words(report.path("result").asText()),
                seconds(report.path("seconds")),
                report.path("restartsInWords").asText()),
        "  ");
    report.path("why").forEach(line -> add("  " + line.asText(), "    "));
    report.path("failures").forEach(this::failure);
    goodput();
    restarts();
    chaos();
    report.path("hints").forEach(hint -> add("hint: " + hint.asText(), "  "));
  }

  private static String words(String result) {
    return switch (result) {
      case "timedOut" -> "timed out after";
      case "interrupted" -> "interrupted after";
      case "running" -> "running for";
      default -> result + " in";
    };
  }

  private void failure(JsonNode failure) {
    log(failure.path("log"), LOG_LINES);
    var followed = texts(failure.path("followed"));
    if (!followed.isEmpty()) {
      add("  (%s merely followed)".formatted(names(followed)), "    ");
    }
  }

  private void log(JsonNode log, int most) {
    var all = texts(log);
    for (String line : all.subList(Math.max(0, all.size() - most), all.size())) {
      String shown = "    | " + line.strip();
      lines.add(shown.length() > WIDTH ? shown.substring(0, WIDTH - 1) + "…" : shown);
    }
  }

  private void goodput() {
    var goodput = report.path("goodput");
    if (goodput.isMissingNode()) {
      return;
    }
    var parts = new ArrayList<String>();
    part(parts, goodput.path("startingSeconds"), "until it first worked");
    part(parts, goodput.path("downSeconds"), "down");
    part(parts, goodput.path("redoingSeconds"), "doing steps again");
    String lost = parts.isEmpty() ? "" : ": lost " + String.join(", ", parts);
    add(
        "  goodput %s%s%s"
            .formatted(
                percent(goodput.path("ratio").asDouble()),
                lost,
                measure(goodput.path("measure").asText())),
        "    ");
    var progress = report.path("progress");
    if (!progress.isMissingNode() && !report.path("result").asText().equals("succeeded")) {
      add("  it was at step " + step(progress), "    ");
    }
  }

  private static String measure(String measure) {
    return switch (measure) {
      case "steps" -> "";
      case "output" -> " (by its output: it told no steps)";
      default -> " (by its processes: it wrote nothing)";
    };
  }

  private static void part(List<String> parts, JsonNode seconds, String words) {
    if (seconds.asDouble() >= 0.005) {
      parts.add(seconds(seconds) + " " + words);
    }
  }

  private void restarts() {
    var told = report.path("restarts");
    int forgotten = report.path("forgotten").asInt();
    int first = Math.max(0, told.size() - MOST);
    if (first + forgotten > 0) {
      add(
          "of %d restarts the last %d:".formatted(told.size() + forgotten, told.size() - first),
          "  ");
    }
    for (int i = first; i < told.size(); i++) {
      restart(told.get(i));
    }
  }

  /** What was done to it on purpose; what was not done is named. */
  private void chaos() {
    var deeds = report.path("chaos");
    if (deeds.isEmpty()) {
      return;
    }
    var notDone =
        StreamSupport.stream(deeds.spliterator(), false)
            .filter(deed -> !deed.path("result").asText().equals("done"))
            .toList();
    add("chaos: %d of %d done".formatted(deeds.size() - notDone.size(), deeds.size()), "  ");
    notDone.stream()
        .limit(MOST)
        .forEach(deed ->
            add(
                "  not done: %s: %s"
                    .formatted(deed.path("deed").asText(), deed.path("words").asText()),
                "    "));
  }

  private void restart(JsonNode restart) {
    var stages = restart.path("stages");
    String slowest = restart.path("slowest").asText();
    int pods = restart.path("pods").size();
    String who =
        pods == 0 || slowest.isEmpty()
            ? ""
            : pods == 1 ? ", " + slowest : ", %d pods, slowest %s".formatted(pods, slowest);
    add(
        "%s %d: %s down%s%s"
            .formatted(
                restart.path("kind").asText().equals("recreation") ? "recreation" : "restart",
                restart.path("number").asInt(),
                seconds(restart.path("downSeconds")),
                restart.path("underWay").asBoolean() ? " so far" : "",
                who),
        "  ");
    String spans =
        StreamSupport.stream(stages.spliterator(), false)
            .filter(stage -> stage.path("seconds").asDouble() >= 0.005)
            .map(stage -> stage.path("until").asText() + " " + seconds(stage.path("seconds")))
            .collect(Collectors.joining(", "));
    if (!spans.isEmpty()) {
      add("  until " + spans, "    ");
    }
    if (restart.path("redoneSteps").asLong() > 0) {
      add(
          "  went on with step %s, %s steps done twice"
              .formatted(
                  restart.path("resumedStep").asText(), restart.path("redoneSteps").asText()),
          "    ");
    }
    waits(restart.path("waits"));
    if (restart.has("cause")) {
      add("  because of " + restart.path("cause").asText(), "    ");
      log(restart.path("culprit").path("log"), FEW_LINES);
    }
  }

  private void waits(JsonNode waits) {
    if (waits.isEmpty()) {
      return;
    }
    var names =
        StreamSupport.stream(waits.spliterator(), false)
            .map(wait -> wait.path("pod").asText())
            .toList();
    add(
        "  %s of it for %s to end after the stop signal"
            .formatted(seconds(waits.get(0).path("seconds")), names(names)),
        "    ");
  }

  private static String names(List<String> all) {
    String names = all.stream().limit(MOST_NAMES).collect(Collectors.joining(", "));
    return all.size() > MOST_NAMES ? names + " and " + (all.size() - MOST_NAMES) + " more" : names;
  }

  /** {@code 120} or {@code 120/400}. */
  static String step(JsonNode progress) {
    return progress.path("step").asText()
        + (progress.has("total") ? "/" + progress.path("total").asText() : "");
  }

  static String seconds(JsonNode seconds) {
    return String.format(Locale.ROOT, "%.2fs", seconds.asDouble());
  }

  static String percent(double ratio) {
    return String.format(Locale.ROOT, "%.1f%%", Math.floor(ratio * 1000) / 10);
  }

  private static List<String> texts(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).map(JsonNode::asText).toList();
  }

  /** Adds a text, broken between words; later lines begin with the indent. */
  private void add(String text, String indent) {
    var line = new StringBuilder();
    for (String word : text.strip().split(" ", -1)) {
      if (line.isEmpty()) {
        line.append(text, 0, text.indexOf(text.strip())).append(word);
      } else if (line.length() + 1 + word.length() <= WIDTH) {
        line.append(' ').append(word);
      } else {
        lines.add(line.toString());
        line = new StringBuilder(indent).append(word);
      }
    }
    lines.add(line.toString());
  }
}
