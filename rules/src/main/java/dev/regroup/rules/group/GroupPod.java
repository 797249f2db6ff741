package dev.regroup.rules.group;

import dev.regroup.rules.job.JobPod;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a group sees of one of its pods (JS-160), beside what the pod's Job sees of it.
 *
 * @param jobSet value of the label {@code jobset-name}
 * @param deleting its deletion was asked for, at {@code deletedAt} if that is known
 * @param disrupted condition {@code DisruptionTarget} is True
 * @param restarting condition {@code AllContainersRestarting} is True
 */
public record GroupPod(
    String jobSet,
    AttemptReport report,
    Agent agent,
    End end,
    boolean deleting,
    @Nullable Instant deletedAt,
    boolean disrupted,
    Optional<Restarting> restarting,
    List<Container> containers) {

  /** Who reports for the pod. */
  public enum Agent {
    /** Regroup's node: attempt and status come in one write, so they always fit together. */
    NODE,
    /** A container of the pod, or nobody: status and attempt are written by two. */
    OTHER
  }

  /** Whether the pod as a whole has ended. */
  public enum End {
    NONE,
    SUCCEEDED,
    FAILED
  }

  /** All its containers restart, since then, for the reason the text gives; empty for none. */
  public record Restarting(@Nullable Instant since, String text) {}

  /** What a container is to the group. */
  public enum Role {
    /** Runs before the agent: its restarts bring nobody to the barrier (JS-145). */
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

    boolean fails() {
      return meaning != Meaning.NOTHING;
    }
  }

  public GroupPod {
    containers = List.copyOf(containers);
  }

  /** The pod as its Job is going to see it: one that is about to fail has failed (JS-160b). */
  public JobPod foreseen(JobPod seen) {
    return doomed() ? seen.failing() : seen;
  }

  /** The pod has failed, or a worker of it has ended so that it will. */
  boolean doomed() {
    return switch (end) {
      case FAILED -> true;
      case SUCCEEDED -> false;
      case NONE ->
          containers.stream()
              .filter(one -> one.role() == Role.WORKER)
              .flatMap(one -> one.ended().stream())
              .anyMatch(ended -> ended.meaning() == Meaning.FAILS_POD);
    };
  }
}
