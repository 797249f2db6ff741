package dev.regroup.rules.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How a Job ends (JB-47): the first answer wins, and an answer once written is kept.
 *
 * @param success {@code SuccessCriteriaMet} or {@code FailureTarget}
 */
record JobEnding(boolean success, String reason, String message) {

  static final JobEnding COMPLETIONS_REACHED =
      new JobEnding(true, "CompletionsReached", "Reached expected number of succeeded pods");

  /** Steps 1 to 7; step 8 needs the outcome of managing the pods. */
  static Optional<JobEnding> of(SeenPods seen, Instant now) {
    var spec = seen.spec;
    var status = seen.status;
    if (status.is(JobStatus.Type.SUCCESS_CRITERIA_MET)) {
      return status.condition(JobStatus.Type.SUCCESS_CRITERIA_MET).map(JobEnding::success);
    }
    if (status.is(JobStatus.Type.FAILURE_TARGET)) {
      return status.condition(JobStatus.Type.FAILURE_TARGET).map(JobEnding::failure);
    }
    for (var pod : seen.pods) {
      var verdict = seen.verdict(pod);
      if (verdict.isPresent() && verdict.get().action() == FailurePolicy.Action.FAIL_JOB) {
        return Optional.of(failure("PodFailurePolicy", verdict.get().message()));
      }
    }
    if (seen.failed > spec.backoffLimit() || restartsExceed(seen)) {
      return Optional.of(
          failure("BackoffLimitExceeded", "Job has reached the specified backoff limit"));
    }
    if (deadline(seen).map(due -> !due.isAfter(now)).orElse(false)) {
      return Optional.of(
          failure("DeadlineExceeded", "Job was active longer than specified deadline"));
    }
    return byIndexes(seen);
  }

  /** When {@code activeDeadlineSeconds} runs out; empty when no clock runs. */
  static Optional<Instant> deadline(SeenPods seen) {
    var start = seen.status.startTime();
    if (start == null
        || seen.spec.wish() == JobSpec.Wish.SUSPEND
        || seen.spec.activeDeadlineSeconds().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        start.plus(Duration.ofSeconds(seen.spec.activeDeadlineSeconds().getAsLong())));
  }

  private static Optional<JobEnding> byIndexes(SeenPods seen) {
    var spec = seen.spec;
    var failedIndexes = seen.failedIndexes;
    if (failedIndexes != null && !failedIndexes.isEmpty()) {
      if (spec.maxFailedIndexes().isPresent()
          && failedIndexes.size() > spec.maxFailedIndexes().getAsInt()) {
        return Optional.of(
            failure(
                "MaxFailedIndexesExceeded",
                "Job has exceeded the specified maximal number of failed indexes"));
      }
      if (failedIndexes.size() + seen.succeededIndexes.size() >= seen.limit()) {
        return Optional.of(failure("FailedIndexes", "Job has failed indexes"));
      }
    }
    if (seen.succeededIndexes.isEmpty()) {
      return Optional.empty();
    }
    for (int i = 0; i < spec.successPolicy().size(); i++) {
      if (spec.successPolicy().get(i).met(seen.succeededIndexes)) {
        return Optional.of(new JobEnding(true, "SuccessPolicy", "Matched rules at index " + i));
      }
    }
    return Optional.empty();
  }

  /** JB-47 step 4, second half: containers restarted in living pods. */
  private static boolean restartsExceed(SeenPods seen) {
    if (seen.spec.podRestart() != JobSpec.PodRestart.ON_FAILURE) {
      return false;
    }
    long sum =
        seen.pods.stream()
            .filter(
                pod -> pod.phase() == JobPod.Phase.RUNNING || pod.phase() == JobPod.Phase.PENDING)
            .mapToLong(pod -> pod.restarts().sum())
            .sum();
    int limit = seen.spec.backoffLimit();
    return limit == 0 ? sum > 0 : sum >= limit;
  }

  private static JobEnding failure(String reason, String message) {
    return new JobEnding(false, reason, message);
  }

  private static JobEnding failure(JobStatus.Condition condition) {
    return new JobEnding(false, condition.reason(), condition.message());
  }

  private static JobEnding success(JobStatus.Condition condition) {
    return new JobEnding(true, condition.reason(), condition.message());
  }

  JobStatus.Type interim() {
    return success ? JobStatus.Type.SUCCESS_CRITERIA_MET : JobStatus.Type.FAILURE_TARGET;
  }

  JobStatus.Type last() {
    return success ? JobStatus.Type.COMPLETE : JobStatus.Type.FAILED;
  }
}
