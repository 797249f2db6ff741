package dev.regroup.rules.job;

import java.time.Instant;
import java.util.List;

/**
 * What becomes of a Job as it stands, for those who must not act before it (JS-160b). The answer is
 * that of the Job's own plan: the same function decides how it ends.
 */
public enum Outlook {
  GOES_ON,
  /** Its pods are taken away until it is resumed. */
  SUSPENDED,
  /** It is complete or about to be: whoever still runs is deleted. */
  SUCCEEDS,
  /** It has failed or is about to: whoever still runs is deleted. */
  FAILS;

  public static Outlook of(JobSpec spec, JobStatus status, List<JobPod> pods, Instant now) {
    if (status.is(JobStatus.Type.FAILED)) {
      return FAILS;
    }
    if (status.is(JobStatus.Type.COMPLETE)) {
      return SUCCEEDS;
    }
    var ending = JobEnding.of(new SeenPods(spec, status, pods), now);
    if (ending.isPresent()) {
      return ending.get().success() ? SUCCEEDS : FAILS;
    }
    return spec.wish() == JobSpec.Wish.SUSPEND ? SUSPENDED : GOES_ON;
  }

  /** Whether the failure of this pod fails its Job, by the policy alone. */
  public static boolean failsJob(JobSpec spec, JobPod failed) {
    return action(spec, failed) == FailurePolicy.Action.FAIL_JOB;
  }

  /** Whether the Job makes no new pod for the index of this failed one (JB-73). */
  public static boolean givesUp(JobSpec spec, JobPod failed) {
    if (spec.backoffLimitPerIndex().isEmpty()) {
      return false;
    }
    return switch (action(spec, failed)) {
      case FAIL_INDEX -> true;
      case IGNORE, FAIL_JOB -> false;
      case COUNT, UNKNOWN -> failed.failureCount() >= spec.backoffLimitPerIndex().getAsInt();
    };
  }

  private static FailurePolicy.Action action(JobSpec spec, JobPod failed) {
    return spec.podFailurePolicy()
        .flatMap(policy -> policy.judge(spec.namespace(), failed))
        .map(FailurePolicy.Verdict::action)
        .orElse(FailurePolicy.Action.COUNT);
  }
}
