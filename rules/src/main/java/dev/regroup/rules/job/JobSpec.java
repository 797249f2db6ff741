package dev.regroup.rules.job;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** What a Job asks for, after defaulting (job.md section 1). */
public record JobSpec(
    String namespace,
    String name,
    int parallelism,
    OptionalInt completions,
    Completion completion,
    int backoffLimit,
    OptionalInt backoffLimitPerIndex,
    OptionalInt maxFailedIndexes,
    Optional<FailurePolicy> podFailurePolicy,
    List<SuccessRule> successPolicy,
    Replace replace,
    OptionalLong activeDeadlineSeconds,
    Wish wish,
    PodRestart podRestart,
    Kin kin) {

  public enum Completion {
    NON_INDEXED,
    INDEXED
  }

  /** {@code podReplacementPolicy} (JB-75). */
  public enum Replace {
    TERMINATING_OR_FAILED,
    FAILED
  }

  public enum Wish {
    RUN,
    SUSPEND,
    /** The Job has a deletion timestamp. */
    DELETE
  }

  public enum PodRestart {
    NEVER,
    ON_FAILURE
  }

  /** Whether a group restart bounds the loop of failures instead of a delay (JB-84). */
  public enum Kin {
    ALONE,
    IN_PLACE_JOBSET
  }

  /**
   * One rule of {@code successPolicy} (JB-74).
   *
   * @param succeededIndexes empty for "any"
   */
  public record SuccessRule(Optional<IndexSet> succeededIndexes, OptionalInt succeededCount) {

    boolean met(IndexSet succeeded) {
      if (succeededIndexes.isEmpty()) {
        return succeededCount.isPresent() && succeeded.size() >= succeededCount.getAsInt();
      }
      var listed = succeededIndexes.get();
      long done = listed.stream().filter(succeeded::contains).count();
      return done >= succeededCount.orElse(listed.size());
    }
  }

  public JobSpec {
    successPolicy = List.copyOf(successPolicy);
  }

  public boolean indexed() {
    return completion == Completion.INDEXED;
  }
}
