package dev.regroup.rules.pod;

import java.time.Instant;
import java.util.Objects;

/** State of a container as published: {@code state} and {@code lastState} of its status. */
public sealed interface ContainerState {

  /** Nothing to say: an empty {@code lastState}. */
  record None() implements ContainerState {}

  /** Not running and not ended; an empty reason is allowed (STS-10). */
  record Waiting(String reason, String message) implements ContainerState {
    public Waiting {
      Objects.requireNonNull(reason, "reason");
      Objects.requireNonNull(message, "message");
    }
  }

  record Running(Instant startedAt) implements ContainerState {
    public Running {
      Objects.requireNonNull(startedAt, "startedAt");
    }
  }

  /**
   * Ended.
   *
   * @param startedAt {@link Instant#EPOCH} when unknown, as is {@code finishedAt}
   * @param containerId {@link ContainerId#NONE} when unknown
   */
  record Terminated(
      int exitCode,
      String reason,
      String message,
      Instant startedAt,
      Instant finishedAt,
      ContainerId containerId)
      implements ContainerState {
    public Terminated {
      Objects.requireNonNull(reason, "reason");
      Objects.requireNonNull(message, "message");
      Objects.requireNonNull(startedAt, "startedAt");
      Objects.requireNonNull(finishedAt, "finishedAt");
      Objects.requireNonNull(containerId, "containerId");
    }
  }

  ContainerState NONE = new None();
}
