package dev.regroup.rules.group;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What the group knows of one pod that counts: owned by a Job of this JobSet, of the newest
 * generation of Jobs (JS-140). Small on purpose; a change that alters no reading wakes nobody
 * (JS-156).
 *
 * @param completionIndex absent for a pod of a NonIndexed Job
 * @param sign why the pod's attempt has failed, if anything says so
 * @param runaway restarts of its init containers since the group was last in step (JS-145)
 * @param agentRunning the container that has to report runs, but no report is there yet
 * @param past how the attempt before the reported one ended, as the pod itself remembers; null when
 *     it does not know, or was told to restart
 * @param trouble why a container of it cannot start, empty for none
 */
public record PodReading(
    String uid,
    String name,
    String job,
    OptionalInt completionIndex,
    AttemptReport report,
    Life life,
    @Nullable Sign sign,
    int runaway,
    boolean agentRunning,
    @Nullable Sign past,
    String trouble) {

  /** A pod that remembers nothing and has no trouble. */
  public PodReading(
      String uid,
      String name,
      String job,
      OptionalInt completionIndex,
      AttemptReport report,
      Life life,
      @Nullable Sign sign,
      int runaway,
      boolean agentRunning) {
    this(uid, name, job, completionIndex, report, life, sign, runaway, agentRunning, null, "");
  }

  public enum Life {
    LIVE,
    SUCCEEDED,
    /** Phase Failed, and its Job gives up the index: nobody takes the place (JS-160b). */
    GIVEN_UP,
    /** Phase Failed, or being deleted (JS-135, JS-149b). */
    DEAD
  }

  public SlotId slot() {
    return completionIndex.isPresent()
        ? SlotId.indexed(job, completionIndex.getAsInt())
        : SlotId.ofPod(job, uid);
  }

  OptionalInt attempt() {
    return report instanceof AttemptReport.At(int attempt)
        ? OptionalInt.of(attempt)
        : OptionalInt.empty();
  }
}
