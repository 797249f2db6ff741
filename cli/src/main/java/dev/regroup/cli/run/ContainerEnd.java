package dev.regroup.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One end of a container, as the status of its pod tells it.
 *
 * @param container its name
 * @param terminated the state, with exit code, reason and times
 * @param how whether it ended by itself
 */
record ContainerEnd(String container, JsonNode terminated, How how) {

  /** Whether the end says something about the container. */
  enum How {
    ON_ITS_OWN,
    /** Regroup stopped it because of another: its exit code means nothing. */
    STOPPED
  }

  static final List<String> LISTS = List.of("initContainerStatuses", "containerStatuses");
  private static final String RESTARTING = "RestartingAllContainers";
  private static final int KILLED = 137;
  private static final int TERMINATED = 143;

  /** The ends that the newer form of a pod tells and the older did not, oldest first. */
  static List<ContainerEnd> between(JsonNode before, JsonNode now) {
    var ends = new ArrayList<ContainerEnd>();
    for (String list : LISTS) {
      for (JsonNode status : now.path("status").path(list)) {
        JsonNode known = named(before, list, status.path("name").asText());
        for (JsonNode state : List.of(status.path("lastState"), status.path("state"))) {
          JsonNode end = state.path("terminated");
          if (end.isObject() && !tells(known, end)) {
            String name = status.path("name").asText();
            ends.add(new ContainerEnd(name, end, how(before, now, name, end)));
          }
        }
      }
    }
    return ends;
  }

  int exitCode() {
    return terminated.path("exitCode").asInt(0);
  }

  boolean failed() {
    return how == How.ON_ITS_OWN && exitCode() != 0;
  }

  Instant finishedAt(Instant otherwise) {
    return instant(terminated.path("finishedAt").asText(""), otherwise);
  }

  static Instant instant(String text, Instant otherwise) {
    try {
      return text.isEmpty() ? otherwise : Instant.parse(text);
    } catch (DateTimeParseException e) {
      return otherwise;
    }
  }

  private static final Map<Integer, String> SIGNALS =
      Map.of(
          KILLED,
          "was killed",
          134,
          "aborted",
          139,
          "crashed (segmentation fault)",
          136,
          "crashed (arithmetic)",
          135,
          "crashed (bus error)",
          TERMINATED,
          "was terminated");

  /** What happened to it, such as {@code container worker ran out of memory (OOMKilled)}. */
  String words() {
    String reason = terminated.path("reason").asText("");
    String message = terminated.path("message").asText("").strip();
    String subject = "container " + container + " ";
    if (reason.equals("OOMKilled")) {
      return subject + "ran out of memory (OOMKilled)";
    }
    if (reason.equals("StartError") || reason.equals("ContainerCannotRun")) {
      return subject + "could not start: " + message;
    }
    if (reason.equals("ContainerStatusUnknown")) {
      return subject + "was lost: nobody knows how it ended";
    }
    String signal = SIGNALS.get(exitCode());
    return subject
        + (signal == null
            ? "exited with code " + exitCode()
            : signal + " (exit code " + exitCode() + ")");
  }

  private static How how(JsonNode before, JsonNode now, String container, JsonNode end) {
    if (end.path("reason").asText().equals(RESTARTING)) {
      String message = end.path("message").asText();
      return message.startsWith("Container " + container + " exited")
          ? How.ON_ITS_OWN
          : How.STOPPED;
    }
    if (isDeleted(before) || (isDeleted(now) && endsLikeStopped(end))) {
      return How.STOPPED;
    }
    boolean wasRestarting = restarting(before);
    boolean stopped = wasRestarting || ((restarting(now) || isDone(now)) && endsLikeStopped(end));
    return stopped ? How.STOPPED : How.ON_ITS_OWN;
  }

  private static boolean endsLikeStopped(JsonNode end) {
    int code = end.path("exitCode").asInt();
    String reason = end.path("reason").asText("");
    return (code == KILLED || code == TERMINATED) && !reason.equals("OOMKilled");
  }

  private static boolean isDeleted(JsonNode pod) {
    return pod.path("metadata").hasNonNull("deletionTimestamp");
  }

  /** It has ended for another reason: past its deadline, evicted, or all that counts is done. */
  private static boolean isDone(JsonNode pod) {
    return !pod.path("status").path("reason").asText("").isEmpty()
        || pod.path("status").path("phase").asText().equals("Succeeded");
  }

  private static boolean restarting(JsonNode pod) {
    for (JsonNode condition : pod.path("status").path("conditions")) {
      if (condition.path("type").asText().equals("AllContainersRestarting")) {
        return condition.path("status").asText().equals("True");
      }
    }
    return false;
  }

  private static boolean tells(JsonNode status, JsonNode end) {
    for (String state : List.of("state", "lastState")) {
      JsonNode known = status.path(state).path("terminated");
      String id = end.path("containerID").asText("");
      if (known.equals(end)
          || (known.isObject() && !id.isEmpty() && id.equals(known.path("containerID").asText()))) {
        return true;
      }
    }
    return false;
  }

  static JsonNode named(JsonNode pod, String list, String name) {
    for (JsonNode status : pod.path("status").path(list)) {
      if (status.path("name").asText().equals(name)) {
        return status;
      }
    }
    return MissingNode.getInstance();
  }
}
