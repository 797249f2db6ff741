package dev.regroup.rules.group;

import java.time.Instant;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Why the attempt of one pod has failed, seen before its agent comes back (JS-160).
 *
 * @param container the container that ended, empty when the pod as a whole is the reason
 * @param at when it happened, as the pod says; null when nobody knows. Not part of a status
 */
public record Sign(
    Kind kind, String pod, String container, OptionalInt exitCode, @Nullable Instant at) {

  /** The vocabulary of {@code inPlaceRestarts[].reason} and of the events. */
  public enum Kind {
    ALL_CONTAINERS_RESTARTING("AllContainersRestarting"),
    WORKER_EXITED("ContainerExited"),
    AGENT_EXITED("AgentExited"),
    RESTART_COUNT_ROSE("ContainerRestarted"),
    POD_FAILED("PodFailed"),
    POD_DELETED("PodDeleted"),
    POD_DISRUPTED("DisruptionTarget"),
    NODE_UNREACHABLE("NodeUnreachable"),
    CAME_BACK_AHEAD("PodAhead"),
    REQUESTED("Requested"),
    RESUMED("Resumed"),
    SCALED("Scaled"),
    NEXT_GROUP("NextGroup"),
    JOB_FAILED("JobFailed");

    private final String wireName;

    Kind(String wireName) {
      this.wireName = wireName;
    }

    public String wireName() {
      return wireName;
    }
  }

  public static Sign of(Kind kind, String pod) {
    return new Sign(kind, pod, "", OptionalInt.empty(), null);
  }

  public static Sign of(Kind kind, String pod, String container, @Nullable Integer exitCode) {
    return new Sign(
        kind,
        pod,
        container,
        exitCode == null ? OptionalInt.empty() : OptionalInt.of(exitCode),
        null);
  }

  public Sign since(@Nullable Instant time) {
    return new Sign(kind, pod, container, exitCode, time);
  }

  /** Whether a container ended by itself, and its pod goes on. */
  boolean isExit() {
    return switch (kind) {
      case ALL_CONTAINERS_RESTARTING, WORKER_EXITED, AGENT_EXITED, RESTART_COUNT_ROSE -> true;
      case POD_FAILED,
          POD_DELETED,
          POD_DISRUPTED,
          NODE_UNREACHABLE,
          CAME_BACK_AHEAD,
          REQUESTED,
          RESUMED,
          SCALED,
          NEXT_GROUP,
          JOB_FAILED ->
          false;
    };
  }

  /** Whether its time is known more exactly than the seconds of the API. */
  boolean isExact() {
    return at != null && !at.equals(Instant.ofEpochSecond(at.getEpochSecond()));
  }

  /** Whether this one is known to have happened before the other. */
  boolean before(Sign other) {
    return at != null && (other.at == null || at.isBefore(other.at));
  }

  /** What users read behind "in-place restart to attempt A". */
  public String text() {
    var text = new StringBuilder();
    if (!pod.isEmpty()) {
      text.append("Pod ").append(pod);
    }
    if (!container.isEmpty()) {
      text.append(", container ").append(container);
    }
    if (exitCode.isPresent()) {
      text.append(", exit code ").append(exitCode.getAsInt());
    }
    if (container.isEmpty()) {
      text.append(text.isEmpty() ? "" : ", ").append(kind.wireName());
    }
    return text.toString();
  }
}
