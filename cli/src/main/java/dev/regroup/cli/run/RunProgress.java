package dev.regroup.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a person wants to know of a run: turns changes of objects into lines, and knows when the
 * workloads have ended and why. Pure but for what it remembers; one thread at a time.
 */
public final class RunProgress {

  /** How a workload ended. */
  public enum Result {
    SUCCEEDED,
    FAILED
  }

  private final Map<String, Optional<Result>> workloads = new LinkedHashMap<>();
  private final Map<String, JsonNode> last = new LinkedHashMap<>();
  private final Map<String, JsonNode> groups = new HashMap<>(); // JobSets, also when gone
  private final FailureHistory culprits = new FailureHistory();
  private final GroupNews groupNews = new GroupNews(culprits);
  private final RestartCounts counts = new RestartCounts();
  private final Troubles troubles = new Troubles();
  private final ProbeFailures probes = new ProbeFailures();

  /** Names a workload the run waits for, {@code JobSet/default/training}. */
  void expect(String kind, String namespace, String name) {
    workloads.put(Workload.key(kind, namespace, name), Optional.empty());
  }

  /** Notes the newest form of an object; returns what is worth saying about it. */
  List<String> changed(JsonNode object, Instant now) {
    String kind = object.path("kind").asText();
    String key = Workload.key(object);
    JsonNode before = last.getOrDefault(key, MissingNode.getInstance());
    if (!kind.equals("Event")) {
      last.put(key, object);
    }
    var lines = new ArrayList<String>();
    switch (kind) {
      case "JobSet" -> {
        counts.jobSet(object);
        troubles.jobSet(object, now);
        groups.put(key, object);
        lines.addAll(groupNews.of(before, object));
        failure(before, object, lines);
      }
      case "Pod" -> {
        counts.pod(object);
        troubles.pod(object, now);
        pod(before, object, now, lines);
      }
      case "Job" -> failure(before, object, lines);
      case "Event" -> event(object, now, lines);
      default -> {}
    }
    workloads.computeIfPresent(key, (_, known) -> known.isPresent() ? known : result(object));
    return lines;
  }

  /** An object is gone; a workload that somebody deleted has failed. */
  List<String> removed(JsonNode object) {
    String key = Workload.key(object);
    last.remove(key);
    troubles.removed(object);
    boolean waited = workloads.containsKey(key) && workloads.get(key).isEmpty();
    workloads.computeIfPresent(
        key, (_, known) -> known.isPresent() ? known : Optional.of(Result.FAILED));
    return waited ? List.of(title(object) + " was deleted") : List.of();
  }

  /** What has lasted long enough to be said. */
  List<String> due(Instant now) {
    return troubles.due(now);
  }

  /** When {@link #due} is to be asked again. */
  Optional<Instant> nextDue() {
    return troubles.next();
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

  RestartCounts counts() {
    return counts;
  }

  /** Who made workloads fail: one line for each that failed, where it is known. */
  List<String> culprits() {
    var lines = new ArrayList<String>();
    workloads.forEach((key, result) -> {
      if (result.equals(Optional.of(Result.FAILED))) {
        var failure = key.startsWith("JobSet/") ? culprits.last(key) : culprits.newest(key);
        failure.map(FailureHistory.Fault::text).ifPresent(lines::add);
      }
    });
    return lines;
  }

  /** What a run that has not ended waits for. */
  List<String> waitingFor() {
    var troubled = troubles.all();
    if (!troubled.isEmpty()) {
      return troubled;
    }
    return workloads.entrySet().stream()
        .filter(one -> one.getValue().isEmpty())
        .map(one -> {
          String[] parts = one.getKey().split("/", -1);
          return "%s/%s to end".formatted(parts[0].toLowerCase(Locale.ROOT), parts[2]);
        })
        .toList();
  }

  /** Group restarts that got past their barrier, oldest first, each with its cause in words. */
  List<GroupRestart> groupRestarts() {
    var restarts = new ArrayList<GroupRestart>();
    groups.forEach((key, jobSet) -> {
      var history = jobSet.path("status").path("inPlaceRestarts");
      for (int i = history.size() - 1; i >= 0; i--) {
        var one = history.get(i);
        if (one.hasNonNull("liftedAt")) {
          restarts.add(
              new GroupRestart(
                  key,
                  Instant.parse(one.path("startedAt").asText()),
                  Instant.parse(one.path("liftedAt").asText()),
                  groupNews.cause(jobSet, one)));
        }
      }
    });
    return restarts;
  }

  /** One restart of a group, as its JobSet remembers it. */
  record GroupRestart(String workload, Instant startedAt, Instant liftedAt, String cause) {}

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

  /** Why a Job or JobSet gave up; that it completed shows in what it was made of. */
  private static void failure(JsonNode before, JsonNode now, List<String> lines) {
    var failed = condition(now.path("status"), "Failed");
    if (holds(now.path("status"), "Failed") && !holds(before.path("status"), "Failed")) {
      lines.add("%s: failed: %s".formatted(title(now), failed.path("message").asText()));
    }
  }

  private void pod(JsonNode before, JsonNode now, Instant at, List<String> lines) {
    String title = title(now);
    String was = before.path("status").path("phase").asText("");
    String is = now.path("status").path("phase").asText("");
    initStarts(before, now, lines);
    for (ContainerEnd end : ContainerEnd.between(before, now)) {
      culprits.ended(now, end, at).ifPresent(words -> lines.add(title + ": " + words));
    }
    if (is.equals(was)) {
      return;
    }
    switch (is) {
      case "Running" -> {
        if (before.path("status").path("startTime").isMissingNode() || was.equals("Pending")) {
          lines.add(title + ": running at " + now.path("status").path("podIP").asText("?"));
        }
      }
      case "Succeeded" -> lines.add(title + ": succeeded");
      case "Failed" -> failedPod(now, at, lines);
      default -> {}
    }
  }

  /** A pod that is being deleted ends somehow; only others have failed. */
  private void failedPod(JsonNode pod, Instant at, List<String> lines) {
    String reason = pod.path("status").path("reason").asText("");
    String message = pod.path("status").path("message").asText("");
    if (!reason.isEmpty()) {
      String words = message.isEmpty() ? reason : reason + ": " + message;
      culprits.failed(pod, words, at);
      lines.add(title(pod) + ": failed: " + words);
    } else if (!pod.path("metadata").hasNonNull("deletionTimestamp")) {
      lines.add(title(pod) + ": failed");
    }
  }

  /** The first start only: what takes its time before anything else is to be seen. */
  private static void initStarts(JsonNode before, JsonNode now, List<String> lines) {
    String list = "initContainerStatuses";
    for (JsonNode status : now.path("status").path(list)) {
      var known = ContainerEnd.named(before, list, status.path("name").asText());
      if (status.path("state").has("running")
          && status.path("restartCount").asInt() == 0
          && !known.path("state").has("running")) {
        lines.add("%s: init container %s runs".formatted(title(now), status.path("name").asText()));
      }
    }
  }

  /** A container that a probe ends may take its whole grace: said when it begins. */
  private void event(JsonNode event, Instant now, List<String> lines) {
    troubles.event(event, now);
    var about = event.path("involvedObject");
    var pod = last.getOrDefault(podKey(about), MissingNode.getInstance());
    probes
        .event(event, pod, now)
        .ifPresent(fatal -> {
          culprits.probeFailed(fatal.podUid(), fatal.container(), fatal.probe(), fatal.at());
          lines.add(
              "pod/%s: container %s is stopped, its %s probe failed%s"
                  .formatted(
                      about.path("name").asText(),
                      fatal.container(),
                      fatal.probe(),
                      fatal.said().isEmpty() ? "" : ": " + fatal.said()));
        });
  }

  private static String podKey(JsonNode about) {
    return Workload.key("Pod", about.path("namespace").asText(), about.path("name").asText());
  }

  static JsonNode condition(JsonNode status, String type) {
    for (JsonNode condition : status.path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition;
      }
    }
    return MissingNode.getInstance();
  }

  static boolean holds(JsonNode status, String type) {
    return condition(status, type).path("status").asText().equals("True");
  }

  /** What people call an object: {@code jobset/training}. */
  public static String title(JsonNode object) {
    return object.path("kind").asText().toLowerCase(Locale.ROOT)
        + "/"
        + object.path("metadata").path("name").asText();
  }
}
