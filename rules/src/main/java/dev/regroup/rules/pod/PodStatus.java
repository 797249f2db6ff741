package dev.regroup.rules.pod;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What the node says about a pod (node.md section 6). The plan returns it; the node publishes it
 * and gives the last one back as {@link Observed#previous()}: from its own memory, or read from the
 * API after a restart of the node.
 *
 * @param reason of the pod, empty for none, as is {@code message}
 * @param conditions those the node owns
 * @param containers init entries in spec order, then regular and ephemeral ones by name (STS-20)
 * @param attempt what the node agent reports to the group (JS-165); written under both annotation
 *     keys together with the status, left alone when empty
 */
public record PodStatus(
    Phase phase,
    String reason,
    String message,
    List<PodCondition> conditions,
    List<ContainerStatus> containers,
    OptionalInt attempt) {

  /** Reason of a pod that ended because one of its containers did (TPC-23). */
  public static final String ON_COMPLETION = "TerminatedOnCompletion";

  /** Before anything was said. */
  public static final PodStatus NONE =
      new PodStatus(Phase.PENDING, "", "", List.of(), List.of(), OptionalInt.empty());

  public PodStatus {
    Objects.requireNonNull(phase, "phase");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(message, "message");
    conditions = List.copyOf(conditions);
    containers = List.copyOf(containers);
    Objects.requireNonNull(attempt, "attempt");
  }

  public Optional<ContainerStatus> container(String name) {
    for (var container : containers) { // asked for each container on each look: no stream
      if (container.name().equals(name)) {
        return Optional.of(container);
      }
    }
    return Optional.empty();
  }

  public Optional<PodCondition> condition(PodCondition.Type type) {
    for (var condition : conditions) {
      if (condition.type() == type) {
        return Optional.of(condition);
      }
    }
    return Optional.empty();
  }

  public boolean isTrue(PodCondition.Type type) {
    return condition(type).filter(c -> c.status() == PodCondition.Status.TRUE).isPresent();
  }
}
