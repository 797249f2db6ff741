package dev.regroup.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.rules.jobset.JobSetStatus;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.PodCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What keeps a run from going on: pods that cannot be scheduled, created or configured. Each is
 * said once, when it has lasted a moment, and pods with the same trouble share a line. One thread
 * at a time; the clock comes in.
 */
final class Troubles {

  /** Much of what looks like trouble is over at once: an object that comes a little later. */
  static final Duration MOMENT = Duration.ofSeconds(1);

  private static final String BARRIER = JobSetStatus.Type.BARRIER_WAITING.wireName();

  private record Trouble(String title, String kind, String text, Instant since) {}

  private final Map<String, Trouble> open = new LinkedHashMap<>(); // by key of the object
  private final Set<String> said = new HashSet<>(); // object and kind of trouble

  /** The newest form of a pod; says what holds it up, or that nothing does. */
  void pod(FollowedPod pod, Instant now) {
    Optional<Trouble> trouble = ofPod(pod, now);
    if (trouble.isPresent() && !pod.isDeleted()) {
      is(pod.key(), trouble.get());
    } else if (began(pod) || pod.isDeleted() || isFromStatus(pod.key())) {
      open.remove(pod.key());
    }
    pod.owner() // a Job whose pod is here was able to make it
        .ifPresent(job -> open.remove(Workload.key(job.kind(), pod.namespace(), job.name())));
  }

  /** The newest form of a JobSet; its controller says when a group waits for long. */
  void jobSet(String key, String title, JobSetStatus status, Instant now) {
    var waiting = status.condition(JobSetStatus.Type.BARRIER_WAITING);
    if (waiting.isPresent() && waiting.get().on()) {
      String text = "waits at the barrier: " + waiting.get().message();
      is(key, new Trouble(title, BARRIER, text, now));
    } else {
      open.computeIfPresent(key, (_, known) -> known.kind().equals(BARRIER) ? null : known);
    }
  }

  /** An event that tells of something that failed; others are ignored. */
  void event(JsonNode event, Instant now) {
    var about = event.path("involvedObject");
    String reason = event.path("reason").asText();
    String what =
        switch (reason) {
          case "FailedCreate", "JobCreationFailed" -> "cannot be created";
          case "HeadlessServiceCreationFailed", "PVCCreationFailed" -> "cannot begin";
          case "FailedMount", "FailedCreatePodSandBox" -> "cannot start";
          default -> "";
        };
    if (what.isEmpty()) {
      return;
    }
    String kind = about.path("kind").asText();
    String name = about.path("name").asText();
    String title = kind.toLowerCase(java.util.Locale.ROOT) + "/" + name;
    String pods = reason.equals("FailedCreate") ? "its pods " + what : "it " + what;
    String message = event.path("message").asText().replaceFirst("^Error creating: ", "");
    is(
        Workload.key(kind, about.path("namespace").asText(), name),
        new Trouble(title, reason, pods + ": " + message, now));
  }

  /** The object is gone, and its trouble with it. */
  void removed(String key) {
    open.remove(key);
  }

  /** What has lasted a moment and was not said. */
  List<String> due(Instant now) {
    var byText = new LinkedHashMap<String, List<Trouble>>();
    boolean due =
        open.entrySet().stream()
            .anyMatch(one -> !isSaid(one) && !one.getValue().since().plus(MOMENT).isAfter(now));
    if (!due) {
      return List.of();
    }
    for (var one : open.entrySet()) {
      if (!isSaid(one)) {
        byText.computeIfAbsent(one.getValue().text(), _ -> new ArrayList<>()).add(one.getValue());
        said.add(one.getKey() + " " + one.getValue().kind());
      }
    }
    return byText.values().stream().map(Troubles::line).toList();
  }

  /** When there may be something to say, if nothing changes until then. */
  Optional<Instant> next() {
    return open.entrySet().stream()
        .filter(one -> !isSaid(one))
        .map(one -> one.getValue().since().plus(MOMENT))
        .min(Instant::compareTo);
  }

  /** All that is in the way now, said before or not. */
  List<String> all() {
    var byText = new LinkedHashMap<String, List<Trouble>>();
    open.values()
        .forEach(one -> byText.computeIfAbsent(one.text(), _ -> new ArrayList<>()).add(one));
    return byText.values().stream().map(Troubles::line).toList();
  }

  private static String line(List<Trouble> same) {
    String first = same.getFirst().title();
    String others =
        switch (same.size()) {
          case 1 -> "";
          case 2 -> " and 1 other";
          default -> " and " + (same.size() - 1) + " others";
        };
    return first + others + ": " + same.getFirst().text();
  }

  private boolean isSaid(Map.Entry<String, Trouble> one) {
    return said.contains(one.getKey() + " " + one.getValue().kind());
  }

  private boolean isFromStatus(String key) {
    var known = open.get(key);
    return known != null && !known.kind().startsWith("Failed");
  }

  private void is(String key, Trouble trouble) {
    open.merge(
        key,
        trouble,
        (old, now) ->
            old.kind().equals(now.kind())
                ? new Trouble(now.title(), now.kind(), now.text(), old.since())
                : now);
  }

  private static Optional<Trouble> ofPod(FollowedPod pod, Instant now) {
    for (var condition : pod.status().conditions()) {
      if (condition.reason().equals("Unschedulable")
          && condition.status() == PodCondition.Status.FALSE) {
        String text = "cannot be scheduled: " + condition.message();
        return Optional.of(new Trouble(pod.title(), "Unschedulable", text, now));
      }
    }
    for (var status : pod.status().containers()) {
      if (status.state() instanceof ContainerState.Waiting(String reason, String message)) {
        String text = waits(status.name(), reason, message);
        if (!text.isEmpty()) {
          return Optional.of(new Trouble(pod.title(), reason, text, now));
        }
      }
    }
    return Optional.empty();
  }

  private static String waits(String container, String reason, String message) {
    String subject = "container " + container + " ";
    return switch (reason) {
      case "",
          "PodInitializing",
          "ContainerCreating",
          "RestartingAllContainers",
          "WaitingForBarrier" ->
          "";
      case "CrashLoopBackOff" -> // the rest of the message repeats names
          subject + "waits before its next start: " + message.replaceFirst(" restarting .*", "");
      case "CreateContainerConfigError" -> subject + "cannot be configured: " + message;
      case "CreateContainerError", "RunContainerError" -> subject + "cannot be created: " + message;
      case "ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName" ->
          subject + "has no image: " + message;
      default -> subject + "waits: " + reason + (message.isEmpty() ? "" : ": " + message);
    };
  }

  private static boolean began(FollowedPod pod) {
    return pod.status().containers().stream()
        .filter(container -> container.kind() == ContainerKind.REGULAR)
        .map(ContainerStatus::state)
        .anyMatch(state ->
            state instanceof ContainerState.Running || state instanceof ContainerState.Terminated);
  }
}
