package dev.regroup.rules.pod;

import dev.regroup.rules.group.GroupOrders;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Everything the node sees of one pod at one moment. What decides is the durable cycle and the
 * runtime's records; the previous status is input only for restart counts, last states and
 * stickiness (RAC-09).
 *
 * @param records all runs of all containers, any order
 * @param startFailures newest failed start per container name, dropped by the node once that
 *     container has started
 * @param lastRuns highest number of a run of each container that the disk still shows (log files or
 *     directories; SEQ-09, STS-17); may be empty
 * @param backOff what the last plan returned; empty after a restart of the node (BKO-06)
 * @param startTime when the node first accepted the pod
 * @param conditions the status of every condition of the pod by its type (readiness gates)
 */
public record Observed(
    RestartCycle cycle,
    Sandbox sandbox,
    List<SeenContainer> records,
    Map<String, StartFailure> startFailures,
    Map<String, Integer> lastRuns,
    PodStatus previous,
    BackOffMemory backOff,
    GroupOrders group,
    PodRestartRequest request,
    Deletion deletion,
    ForcedEnd forcedEnd,
    Instant startTime,
    Map<String, String> conditions) {

  /** The pod-level runtime object that owns the IP and the namespaces. */
  public record Sandbox(State state, String id, String ip) {
    public static final Sandbox NONE = new Sandbox(State.NONE, "", "");

    public enum State {
      /** Never made, or removed. */
      NONE,
      READY,
      /** Recorded but dead. */
      LOST
    }

    public Sandbox {
      Objects.requireNonNull(state, "state");
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(ip, "ip");
    }

    public boolean isReady() {
      return state == State.READY;
    }
  }

  /**
   * Why the newest try to start a container failed; shown as {@code waiting} (STS-13).
   *
   * @param retryAt not tried again before
   */
  public record StartFailure(String reason, String message, Instant retryAt) {
    public StartFailure {
      Objects.requireNonNull(reason, "reason");
      Objects.requireNonNull(message, "message");
      Objects.requireNonNull(retryAt, "retryAt");
    }
  }

  /** Whether and when the pod is deleted through the API. */
  public sealed interface Deletion {
    record None() implements Deletion {}

    /**
     * A deletion; the grace may shrink later.
     *
     * @param asked when the node first saw it, or the deletion timestamp less the grace
     */
    record Asked(Instant asked, Duration grace) implements Deletion {
      public Asked {
        Objects.requireNonNull(asked, "asked");
        Objects.requireNonNull(grace, "grace");
      }
    }

    Deletion NONE = new Deletion.None();
  }

  /** An end decided by the node outside this plan: eviction, preemption, refused admission. */
  public sealed interface ForcedEnd {
    record None() implements ForcedEnd {}

    record Forced(String reason, String message, Duration grace) implements ForcedEnd {
      public Forced {
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(grace, "grace");
      }
    }

    ForcedEnd NONE = new ForcedEnd.None();

    /** How the message of a pod begins that its node does not take. */
    String REJECTED = "Pod was rejected: ";

    /** The node does not take the pod; nothing of it ever runs. */
    static ForcedEnd rejected(String reason, String why) {
      return new Forced(reason, REJECTED + why, Duration.ZERO);
    }
  }

  public Observed {
    Objects.requireNonNull(cycle, "cycle");
    Objects.requireNonNull(sandbox, "sandbox");
    records = List.copyOf(records);
    startFailures = Map.copyOf(startFailures);
    lastRuns = Map.copyOf(lastRuns);
    Objects.requireNonNull(previous, "previous");
    Objects.requireNonNull(backOff, "backOff");
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(request, "request");
    Objects.requireNonNull(deletion, "deletion");
    Objects.requireNonNull(forcedEnd, "forcedEnd");
    Objects.requireNonNull(startTime, "startTime");
    conditions = Map.copyOf(conditions);
  }

  /** A pod nobody has touched yet. */
  public static Observed nothing(Instant startTime) {
    return new Observed(
        RestartCycle.FIRST,
        Sandbox.NONE,
        List.of(),
        Map.of(),
        Map.of(),
        PodStatus.NONE,
        BackOffMemory.EMPTY,
        GroupOrders.UNKNOWN,
        PodRestartRequest.NONE,
        Deletion.NONE,
        ForcedEnd.NONE,
        startTime,
        Map.of());
  }
}
