package dev.regroup.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A report as a Chrome trace (JSON object format): a lane for the group and one for each worker,
 * with the stages of restarts as slices. Opens in Perfetto and in {@code chrome://tracing}.
 */
public final class ReportTrace {

  private static final int GROUP = 0; // its lane

  private final Instant began;
  private final ArrayNode events;
  private final Map<String, Integer> lanes = new HashMap<>();

  private ReportTrace(Instant began, ArrayNode events) {
    this.began = began;
    this.events = events;
  }

  public static ObjectNode of(JsonNode report) {
    var tree = Wire.object().put("displayTimeUnit", "ms");
    var began = time(report.path("began"));
    new ReportTrace(began == null ? Instant.EPOCH : began, tree.putArray("traceEvents"))
        .write(report);
    return tree;
  }

  private void write(JsonNode report) {
    name(GROUP, "group");
    for (JsonNode worker : report.path("workers")) {
      int lane = lanes.size() + 1;
      lanes.put(worker.path("pod").asText(), lane);
      name(lane, worker.path("pod").asText());
    }
    for (JsonNode restart : report.path("restarts")) {
      String title = "restart " + restart.path("number").asText();
      slice(GROUP, title, restart.path("began"), restart.path("works"))
          .put("cause", restart.path("cause").asText());
      for (JsonNode stage : restart.path("stages")) {
        slice(GROUP, stage.path("until").asText(), stage.path("from"), stage.path("to"));
      }
      for (JsonNode pod : restart.path("pods")) {
        pod(pod);
      }
    }
    for (JsonNode line : report.path("story")) {
      mark(line.path("text").asText(), Math.round(line.path("seconds").asDouble() * 1e6));
    }
    for (JsonNode event : report.path("events")) {
      var at = time(event.path("at"));
      if (at != null) {
        String about = event.path("reason").asText() + " " + event.path("name").asText();
        mark(about + ": " + event.path("text").asText(), micros(at));
      }
    }
  }

  private void mark(String text, long micros) {
    events
        .addObject()
        .put("name", text)
        .put("ph", "i")
        .put("s", "g")
        .put("pid", 1)
        .put("tid", GROUP)
        .put("ts", micros);
  }

  private void pod(JsonNode pod) {
    int lane = lanes.getOrDefault(pod.path("pod").asText(), GROUP);
    JsonNode before = null;
    for (var moment : pod.path("moments").properties()) {
      if (before != null) {
        slice(lane, moment.getKey(), before, moment.getValue())
            .put("role", pod.path("role").asText());
      }
      before = moment.getValue();
    }
  }

  private void name(int lane, String name) {
    events
        .addObject()
        .put("name", "thread_name")
        .put("ph", "M")
        .put("pid", 1)
        .put("tid", lane)
        .putObject("args")
        .put("name", name);
  }

  private ObjectNode slice(int lane, String name, JsonNode from, JsonNode to) {
    var event = Wire.object().put("name", name).put("ph", "X").put("pid", 1).put("tid", lane);
    var begin = time(from);
    var end = time(to);
    if (begin != null && end != null && !end.isBefore(begin)) {
      event.put("ts", micros(begin)).put("dur", Duration.between(begin, end).toNanos() / 1_000);
      events.add(event);
    }
    return event.putObject("args");
  }

  private long micros(Instant at) {
    return Duration.between(began, at).toNanos() / 1_000;
  }

  private static @Nullable Instant time(JsonNode text) {
    return Trees.time(text);
  }
}
