package dev.regroup.rules.job;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Status of a Job (JB-60).
 *
 * @param failedIndexes empty without {@code backoffLimitPerIndex}
 * @param uncountedSucceeded UIDs of pods that ended and still carry the finalizer (JB-57)
 */
public record JobStatus(
    int active,
    int ready,
    int terminating,
    int succeeded,
    int failed,
    IndexSet completedIndexes,
    Optional<IndexSet> failedIndexes,
    @Nullable Instant startTime,
    @Nullable Instant completionTime,
    List<Condition> conditions,
    List<String> uncountedSucceeded,
    List<String> uncountedFailed) {

  /** Conditions with their wire names (job.md section 8). */
  public enum Type {
    SUSPENDED("Suspended"),
    SUCCESS_CRITERIA_MET("SuccessCriteriaMet"),
    COMPLETE("Complete"),
    FAILURE_TARGET("FailureTarget"),
    FAILED("Failed");

    private final String wireName;

    Type(String wireName) {
      this.wireName = wireName;
    }

    public String wireName() {
      return wireName;
    }
  }

  public record Condition(
      String type,
      boolean on,
      String reason,
      String message,
      @Nullable Instant probedAt,
      @Nullable Instant changedAt) {}

  public static final JobStatus EMPTY =
      new JobStatus(
          0,
          0,
          0,
          0,
          0,
          IndexSet.EMPTY,
          Optional.empty(),
          null,
          null,
          List.of(),
          List.of(),
          List.of());

  public JobStatus {
    conditions = List.copyOf(conditions);
    uncountedSucceeded = List.copyOf(uncountedSucceeded);
    uncountedFailed = List.copyOf(uncountedFailed);
  }

  public Optional<Condition> condition(Type type) {
    return conditions.stream().filter(one -> one.type().equals(type.wireName())).findFirst();
  }

  public boolean is(Type type) {
    return condition(type).map(Condition::on).orElse(false);
  }

  /** JB-42. */
  public boolean finished() {
    return is(Type.COMPLETE) || is(Type.FAILED);
  }

  boolean allCounted() {
    return uncountedSucceeded.isEmpty() && uncountedFailed.isEmpty();
  }

  /** Conditions with status False are never newly added (JB-95). */
  JobStatus with(Type type, boolean on, String reason, String message, Instant now) {
    var known = condition(type);
    if (known.isEmpty() && !on) {
      return this;
    }
    if (known.isPresent()
        && known.get().on() == on
        && known.get().reason().equals(reason)
        && known.get().message().equals(message)) {
      return this;
    }
    boolean flipped = known.isEmpty() || known.get().on() != on;
    var changed =
        new Condition(
            type.wireName(), on, reason, message, now, flipped ? now : known.get().changedAt());
    var all = new ArrayList<Condition>();
    boolean placed = false;
    for (var one : conditions) {
      boolean same = one.type().equals(type.wireName());
      all.add(same ? changed : one);
      placed |= same;
    }
    if (!placed) {
      all.add(changed);
    }
    return new JobStatus(
        active,
        ready,
        terminating,
        succeeded,
        failed,
        completedIndexes,
        failedIndexes,
        startTime,
        completionTime,
        all,
        uncountedSucceeded,
        uncountedFailed);
  }

  JobStatus withTimes(@Nullable Instant start, @Nullable Instant completion) {
    return new JobStatus(
        active,
        ready,
        terminating,
        succeeded,
        failed,
        completedIndexes,
        failedIndexes,
        start,
        completion,
        conditions,
        uncountedSucceeded,
        uncountedFailed);
  }

  JobStatus withPods(int nowActive, int nowReady, int nowTerminating) {
    return new JobStatus(
        nowActive,
        nowReady,
        nowTerminating,
        succeeded,
        failed,
        completedIndexes,
        failedIndexes,
        startTime,
        completionTime,
        conditions,
        uncountedSucceeded,
        uncountedFailed);
  }

  JobStatus withIndexes(int nowSucceeded, IndexSet completed, Optional<IndexSet> failedOnes) {
    return new JobStatus(
        active,
        ready,
        terminating,
        nowSucceeded,
        failed,
        completed,
        failedOnes,
        startTime,
        completionTime,
        conditions,
        uncountedSucceeded,
        uncountedFailed);
  }

  JobStatus withCounts(
      int nowSucceeded, int nowFailed, List<String> openSucceeded, List<String> openFailed) {
    return new JobStatus(
        active,
        ready,
        terminating,
        nowSucceeded,
        nowFailed,
        completedIndexes,
        failedIndexes,
        startTime,
        completionTime,
        conditions,
        openSucceeded,
        openFailed);
  }
}
