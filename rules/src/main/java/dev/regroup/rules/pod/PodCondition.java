package dev.regroup.rules.pod;

import java.time.Instant;
import java.util.Objects;

/**
 * One condition of the pod that the node owns. {@code lastTransition} moves only when the status
 * changes.
 */
public record PodCondition(
    Type type, Status status, String reason, String message, Instant lastTransition) {

  /** The conditions the node owns; all others are preserved by whoever writes (STS-34). */
  public enum Type {
    POD_READY_TO_START_CONTAINERS("PodReadyToStartContainers"),
    INITIALIZED("Initialized"),
    READY("Ready"),
    CONTAINERS_READY("ContainersReady"),
    POD_SCHEDULED("PodScheduled"),
    /** Carries no {@code observedGeneration} (CND-10). */
    ALL_CONTAINERS_RESTARTING("AllContainersRestarting"),
    /** The draft's name of the same (CND-13). */
    POD_RESTART_IN_PLACE("PodRestartInPlace");

    private final String wireName;

    Type(String wireName) {
      this.wireName = wireName;
    }

    public String wireName() {
      return wireName;
    }
  }

  public enum Status {
    TRUE("True"),
    FALSE("False");

    private final String wireName;

    Status(String wireName) {
      this.wireName = wireName;
    }

    public String wireName() {
      return wireName;
    }
  }

  public PodCondition {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(message, "message");
    Objects.requireNonNull(lastTransition, "lastTransition");
  }
}
