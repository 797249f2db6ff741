package dev.regroup.rules.node;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * What is done about nodes that are not heard any more (JS-136, JS-160).
 *
 * @param grace how long a node may be silent before it counts as unreachable
 * @param podForceFailAfter how long after that its pods fail; empty for never
 * @param groups what an unreachable node means to the groups of its pods
 */
public record NodeLossSettings(
    Duration grace, Optional<Duration> podForceFailAfter, Groups groups) {

  /** As Kubernetes 1.36, and groups do not wait. */
  public static final NodeLossSettings DEFAULT =
      new NodeLossSettings(Duration.ofSeconds(50), Optional.empty(), Groups.RESTART);

  /** {@code failOnNodeUnreachable}. */
  public enum Groups {
    /** Their attempt has failed: all go back to the last checkpoint (JS-160). */
    RESTART,
    /** They wait for what becomes of the pods. */
    WAIT
  }

  public NodeLossSettings {
    Objects.requireNonNull(podForceFailAfter, "podForceFailAfter");
    Objects.requireNonNull(groups, "groups");
    if (!grace.isPositive()) {
      throw new IllegalArgumentException("grace: must be positive, got " + grace);
    }
  }

  /** How often a node has to be heard so that the grace outlasts a few lost messages. */
  public Duration renewal() {
    var fifth = grace.dividedBy(5);
    var most = Duration.ofSeconds(10);
    return fifth.compareTo(most) < 0 ? fifth : most;
  }

  /** How often to look who is silent. */
  public Duration period() {
    var tenth = grace.dividedBy(10);
    var most = Duration.ofSeconds(5);
    return tenth.compareTo(most) < 0 ? tenth : most;
  }
}
