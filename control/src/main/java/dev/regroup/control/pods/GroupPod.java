package dev.regroup.control.pods;

import dev.regroup.rules.group.Report;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A pod as a member of a group (JS-160).
 *
 * @param jobSet value of the label {@code jobset-name}
 * @param nodeAgent Regroup's node is its agent: attempt and status come in one write, so they
 *     always fit together
 * @param restartingSince condition {@code AllContainersRestarting} is True since then
 */
public record GroupPod(
    String jobSet,
    Report report,
    boolean nodeAgent,
    boolean succeeded,
    boolean failed,
    boolean deleting,
    boolean disrupted,
    boolean restarting,
    @Nullable Instant restartingSince,
    List<Container> containers) {

  /** What a container is to the group. */
  public enum Role {
    INIT,
    AGENT,
    WORKER,
    HELPER
  }

  /**
   * One container.
   *
   * @param ended it is in state terminated
   */
  public record Container(
      String name, Role role, int restartCount, boolean running, Optional<Ended> ended) {}

  /**
   * How a container ended.
   *
   * @param fails its code restarts all containers or fails the pod
   */
  public record Ended(int exitCode, boolean fails, @Nullable Instant at) {}

  public GroupPod {
    containers = List.copyOf(containers);
  }
}
