package dev.regroup.rules.job;

import java.time.Instant;
import java.util.List;

/**
 * Plan for one Job (job.md section 4). Level-triggered: a pure function of what is seen now, so it
 * may be asked after any missed event or crash. The effects are performed in this order; a failure
 * ends the plan and the Job is looked at again.
 *
 * <ol>
 *   <li>A new ending is written down before anything is done about it (JB-49).
 *   <li>Pods are deleted or made (JB-48, JB-51 to JB-55).
 *   <li>What has ended is written into the status by UID or index (JB-57 step 1 and 2).
 *   <li>The finalizers of those pods go (step 3).
 *   <li>The UIDs become counters; the last condition is set if nothing is left (step 4, JB-49).
 * </ol>
 *
 * @param backOff the memory to keep when all effects have been performed
 */
public record JobPlan(
    List<Effect> effects, JobStatus status, List<Note> notes, JobBackOff backOff, Instant wakeUp) {

  /** Performed in order. */
  public sealed interface Effect {

    record WriteStatus(JobStatus status) implements Effect {}

    record CreatePods(List<NewPod> pods) implements Effect {}

    /** Deletes; with {@code UNTRACK} the finalizer goes first, so that nobody counts the pod. */
    record DeletePods(List<JobPod> pods, Finalizer finalizer) implements Effect {}

    record RemoveFinalizers(List<JobPod> pods) implements Effect {}
  }

  public enum Finalizer {
    KEEP,
    UNTRACK
  }

  /**
   * A pod to make.
   *
   * @param index -1 for a NonIndexed Job
   */
  public record NewPod(int index, int failureCount, int ignoredFailureCount) {
    static final NewPod ANY = new NewPod(-1, 0, 0);
  }

  /** An event of JB-96 that is due once the effects have been performed. */
  public record Note(boolean warning, String reason, String message) {}

  /** Whether own earlier creations and deletions have been seen (JB-41). */
  public enum Sight {
    CLEAR,
    /** Something of our own is not visible yet: count, but neither make nor delete pods. */
    BLURRED
  }

  /** At most so many pods are counted in one plan (JB-57). */
  static final int COUNTED_AT_ONCE = 500;

  public JobPlan {
    effects = List.copyOf(effects);
    notes = List.copyOf(notes);
  }

  public static JobPlan plan(
      JobSpec spec,
      JobStatus status,
      List<JobPod> pods,
      JobBackOff backOff,
      Sight sight,
      Instant now) {
    if (status.finished()) {
      return untrackAll(status, pods, backOff);
    }
    var started =
        status.startTime() == null && spec.wish() == JobSpec.Wish.RUN
            ? status.withTimes(now, status.completionTime())
            : status;
    var seen = new SeenPods(spec, started, pods);
    return new JobPass(seen, backOff, sight, now).plan(status);
  }

  /** JB-59: nobody will count these pods any more. */
  private static JobPlan untrackAll(JobStatus status, List<JobPod> pods, JobBackOff backOff) {
    var tracked = pods.stream().filter(JobPod::tracked).toList();
    List<Effect> effects =
        tracked.isEmpty() ? List.of() : List.of(new Effect.RemoveFinalizers(tracked));
    return new JobPlan(effects, status, List.of(), backOff, Instant.MAX);
  }
}
