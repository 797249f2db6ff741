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
 */
public record PodReading(
    String uid,
    String name,
    String job,
    OptionalInt completionIndex,
    Report report,
    Life life,
    @Nullable Sign sign,
    int runaway,
    boolean agentRunning) {

  public enum Life {
    LIVE,
    SUCCEEDED,
    /** Phase Failed, or being deleted (JS-135, JS-149b). */
    DEAD
  }

  public SlotId slot() {
    return completionIndex.isPresent()
        ? SlotId.indexed(job, completionIndex.getAsInt())
        : new SlotId(job, uid);
  }

  OptionalInt attempt() {
    return report instanceof Report.At(int attempt) ? OptionalInt.of(attempt) : OptionalInt.empty();
  }
}
