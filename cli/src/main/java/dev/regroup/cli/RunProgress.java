package dev.regroup.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a person wants to know of a run: turns changes of objects into lines, and knows when the
 * workloads have ended. Pure but for what it remembers; one thread at a time.
 */
final class RunProgress {

  /** How a workload ended. */
  enum Result {
    SUCCEEDED,
    FAILED
  }

  private final Map<String, Optional<Result>> workloads = new LinkedHashMap<>();
  private final Map<String, JsonNode> last = new LinkedHashMap<>();

  /** Names a workload the run waits for, {@code JobSet/default/training}. */
  void expect(String kind, String namespace, String name) {
    workloads.put(key(kind, namespace, name), Optional.empty());
  }

  /** Notes the newest form of an object; returns what is worth saying about it. */
  List<String> changed(JsonNode object) {
    String kind = object.path("kind").asText();
    var metadata = object.path("metadata");
    String key = key(kind, metadata.path("namespace").asText(), metadata.path("name").asText());
    JsonNode before = last.getOrDefault(key, MissingNode.getInstance());
    last.put(key, object);
    var lines = new ArrayList<String>();
    switch (kind) {
      case "JobSet" -> jobSet(before, object, lines);
      case "Pod" -> pod(before, object, lines);
      case "Job" -> failure(before, object, lines);
      default -> {}
    }
    workloads.computeIfPresent(key, (_, known) -> known.isPresent() ? known : result(object));
    return lines;
  }

  /** An object is gone; a workload that somebody deleted has failed. */
  List<String> removed(JsonNode object) {
    String kind = object.path("kind").asText();
    var metadata = object.path("metadata");
    String key = key(kind, metadata.path("namespace").asText(), metadata.path("name").asText());
    last.remove(key);
    boolean waited = workloads.containsKey(key) && workloads.get(key).isEmpty();
    workloads.computeIfPresent(
        key, (_, known) -> known.isPresent() ? known : Optional.of(Result.FAILED));
    return waited ? List.of(title(object) + " was deleted") : List.of();
  }

  /** The result of all workloads together, once the last has ended. */
  Optional<Result> result() {
    if (workloads.values().stream().anyMatch(Optional::isEmpty)) {
      return Optional.empty();
    }
    boolean failed =
        workloads.values().stream().flatMap(Optional::stream).anyMatch(Result.FAILED::equals);
    return Optional.of(failed ? Result.FAILED : Result.SUCCEEDED);
  }

  boolean hasWorkloads() {
    return !workloads.isEmpty();
  }

  private static Optional<Result> result(JsonNode object) {
    var status = object.path("status");
    return switch (object.path("kind").asText()) {
      case "JobSet" ->
          switch (status.path("terminalState").asText("")) {
            case "Completed" -> Optional.of(Result.SUCCEEDED);
            case "Failed" -> Optional.of(Result.FAILED);
            default -> Optional.empty();
          };
      case "Job" ->
          holds(status, "Complete")
              ? Optional.of(Result.SUCCEEDED)
              : holds(status, "Failed") ? Optional.of(Result.FAILED) : Optional.empty();
      case "Pod" ->
          switch (status.path("phase").asText("")) {
            case "Succeeded" -> Optional.of(Result.SUCCEEDED);
            case "Failed" -> Optional.of(Result.FAILED);
            default -> Optional.empty();
          };
      default -> Optional.empty();
    };
  }

  private static void jobSet(JsonNode before, JsonNode now, List<String> lines) {
    String title = title(now);
    var was = before.path("status");
    var is = now.path("status");
    int previous = is.path("previousInPlaceRestartAttempt").asInt(-1);
    if (previous > was.path("previousInPlaceRestartAttempt").asInt(-1)) {
      var newest = is.path("inPlaceRestarts").path(0);
      lines.add("%s: attempt %d is over, all go back in place".formatted(title, previous));
      if (newest.has("pod")) {
        lines.add("  " + cause(newest));
      }
    }
    int current = is.path("currentInPlaceRestartAttempt").asInt(-1);
    if (current > was.path("currentInPlaceRestartAttempt").asInt(-1)) {
      lines.add("%s: all workers are at attempt %d, the barrier lifts".formatted(title, current));
    }
    if (is.path("restarts").asInt() > was.path("restarts").asInt()) {
      lines.add(
          "%s: its jobs are made anew, restart %d".formatted(title, is.path("restarts").asInt()));
    }
    if (holds(is, "Completed") && !holds(was, "Completed")) {
      lines.add(title + ": completed"); // its message says "jobset" a second time
    }
    failure(before, now, lines);
    if (holds(is, "Suspended") && !holds(was, "Suspended")) {
      lines.add(title + ": " + condition(is, "Suspended").path("message").asText("suspended"));
    }
  }

  /** Why a Job or JobSet gave up; that it completed shows in what it was made of. */
  private static void failure(JsonNode before, JsonNode now, List<String> lines) {
    var failed = condition(now.path("status"), "Failed");
    if (holds(now.path("status"), "Failed") && !holds(before.path("status"), "Failed")) {
      lines.add("%s: failed: %s".formatted(title(now), failed.path("message").asText()));
    }
  }

  private static String cause(JsonNode restart) {
    String pod = "caused by " + restart.path("pod").asText();
    return restart.has("exitCode")
        ? "%s, %s exited with code %d"
            .formatted(pod, restart.path("container").asText(), restart.path("exitCode").asInt())
        : pod;
  }

  private static void pod(JsonNode before, JsonNode now, List<String> lines) {
    String title = title(now);
    String was = before.path("status").path("phase").asText("");
    String is = now.path("status").path("phase").asText("");
    initStarts(before, now, lines);
    exits(before, now, lines);
    if (!is.equals(was)) {
      switch (is) {
        case "Running" -> {
          if (before.path("status").path("startTime").isMissingNode() || was.equals("Pending")) {
            lines.add(title + ": running at " + now.path("status").path("podIP").asText("?"));
          }
        }
        case "Succeeded" -> lines.add(title + ": succeeded");
        case "Failed" -> lines.add(title + ": failed" + because(now.path("status")));
        default -> {}
      }
    }
    String waiting = trouble(now);
    if (!waiting.isEmpty() && !waiting.equals(trouble(before))) {
      lines.add(title + ": " + waiting);
    }
  }

  /** The first start only: what takes its time before anything else is to be seen. */
  private static void initStarts(JsonNode before, JsonNode now, List<String> lines) {
    String list = "initContainerStatuses";
    for (JsonNode status : now.path("status").path(list)) {
      if (status.path("state").has("running")
          && status.path("restartCount").asInt() == 0
          && !named(before, list, status).path("state").has("running")) {
        lines.add("%s: init container %s runs".formatted(title(now), status.path("name").asText()));
      }
    }
  }

  private static void exits(JsonNode before, JsonNode now, List<String> lines) {
    for (String list : List.of("initContainerStatuses", "containerStatuses")) {
      for (JsonNode status : now.path("status").path(list)) {
        var ended = status.path("state").path("terminated");
        if (ended.path("exitCode").asInt(0) != 0
            && !ended.equals(named(before, list, status).path("state").path("terminated"))) {
          lines.add(
              "%s: container %s exited with code %d"
                  .formatted(
                      title(now), status.path("name").asText(), ended.path("exitCode").asInt()));
        }
      }
    }
  }

  /** Why a container waits, if it is something a person should look at. */
  private static String trouble(JsonNode pod) {
    for (String list : List.of("initContainerStatuses", "containerStatuses")) {
      for (JsonNode status : pod.path("status").path(list)) {
        var waiting = status.path("state").path("waiting");
        switch (waiting.path("reason").asText("")) {
          case "",
              "PodInitializing",
              "ContainerCreating",
              "RestartingAllContainers",
              "WaitingForBarrier" -> {}
          default -> {
            return "container %s waits: %s: %s"
                .formatted(
                    status.path("name").asText(),
                    waiting.path("reason").asText(),
                    waiting.path("message").asText());
          }
        }
      }
    }
    return "";
  }

  private static String because(JsonNode status) {
    String reason = status.path("reason").asText("");
    String message = status.path("message").asText("");
    return reason.isEmpty() ? "" : " (" + reason + (message.isEmpty() ? ")" : ": " + message + ")");
  }

  private static JsonNode named(JsonNode pod, String list, JsonNode status) {
    for (JsonNode other : pod.path("status").path(list)) {
      if (other.path("name").equals(status.path("name"))) {
        return other;
      }
    }
    return MissingNode.getInstance();
  }

  private static JsonNode condition(JsonNode status, String type) {
    for (JsonNode condition : status.path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition;
      }
    }
    return MissingNode.getInstance();
  }

  private static boolean holds(JsonNode status, String type) {
    return condition(status, type).path("status").asText().equals("True");
  }

  /** What people call an object: {@code jobset/training}. */
  static String title(JsonNode object) {
    return object.path("kind").asText().toLowerCase(java.util.Locale.ROOT)
        + "/"
        + object.path("metadata").path("name").asText();
  }

  private static String key(String kind, String namespace, String name) {
    return kind + "/" + namespace + "/" + name;
  }
}
