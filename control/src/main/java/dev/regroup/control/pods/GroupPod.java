package dev.regroup.control.pods;

import dev.regroup.rules.group.AttemptReport;
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
 * @param restartText what that condition says about who caused it, empty for nothing
 * @param deletedAt when its deletion was asked for
 */
public record GroupPod(
    String jobSet,
    AttemptReport report,
    boolean nodeAgent,
    boolean succeeded,
    boolean failed,
    boolean deleting,
    boolean disrupted,
    boolean restarting,
    @Nullable Instant restartingSince,
    String restartText,
    @Nullable Instant deletedAt,
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
   * @param last how the run before this one ended
   * @param waits the reason it waits for, empty when it does not
   */
  public record Container(
      String name,
      Role role,
      int restartCount,
      boolean running,
      Optional<Ended> ended,
      Optional<Ended> last,
      String waits) {}

  /** What an exit means for the pod. */
  public enum Meaning {
    NOTHING,
    RESTARTS_ALL,
    FAILS_POD
  }

  /**
   * How a container ended.
   *
   * @param byCycle stopped or removed by a restart of all containers: the code may be Regroup's own
   * @param text what the node says about it
   */
  public record Ended(
      int exitCode, Meaning meaning, boolean byCycle, String text, @Nullable Instant at) {

    public boolean fails() {
      return meaning != Meaning.NOTHING;
    }
  }

  public GroupPod {
    containers = List.copyOf(containers);
  }
}
