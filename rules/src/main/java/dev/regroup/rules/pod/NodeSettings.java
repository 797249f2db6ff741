package dev.regroup.rules.pod;

import dev.regroup.rules.RuleGate;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * Settings of the node (node.md section 12) and the gates that are on, asked once where the node is
 * wired.
 */
public record NodeSettings(
    Set<RuleGate> gates,
    PodRestartBackOff podRestartBackOff,
    PhaseDuringRestart phaseDuringRestart,
    ConditionNames conditionNames,
    Duration backOffInitial,
    Duration backOffMax) {

  /** RAC-51: whether a pod that restarts all containers again and again is slowed down. */
  public enum PodRestartBackOff {
    ON,
    OFF
  }

  /** RAC-37, RAC-38: which phase a restart of all containers shows. */
  public enum PhaseDuringRestart {
    PENDING,
    UPSTREAM
  }

  /** CND-13: whether the draft's condition type is written beside the released one. */
  public enum ConditionNames {
    NEW,
    BOTH
  }

  public NodeSettings {
    gates = Set.copyOf(gates);
    Objects.requireNonNull(podRestartBackOff, "podRestartBackOff");
    Objects.requireNonNull(phaseDuringRestart, "phaseDuringRestart");
    Objects.requireNonNull(conditionNames, "conditionNames");
    Objects.requireNonNull(backOffInitial, "backOffInitial");
    Objects.requireNonNull(backOffMax, "backOffMax");
    if (backOffInitial.compareTo(backOffMax) > 0) {
      backOffInitial = backOffMax; // GATE-06
    }
  }

  /** Local mode (GATE-09). */
  public static NodeSettings product() {
    return new NodeSettings(
        Set.of(RuleGate.values()),
        PodRestartBackOff.ON,
        PhaseDuringRestart.PENDING,
        ConditionNames.NEW,
        Duration.ofSeconds(10),
        Duration.ofMinutes(5));
  }

  /** What {@code --gates=upstream} gives: Kubernetes 1.36 (GATE-09). */
  public static NodeSettings upstream() {
    return new NodeSettings(
        Set.of(RuleGate.CONTAINER_RESTART_RULES, RuleGate.RESTART_ALL_CONTAINERS),
        PodRestartBackOff.OFF,
        PhaseDuringRestart.UPSTREAM,
        ConditionNames.NEW,
        Duration.ofSeconds(10),
        Duration.ofMinutes(5));
  }
}
