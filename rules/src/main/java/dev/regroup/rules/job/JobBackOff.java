package dev.regroup.rules.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Delay before replacement pods of one Job (JB-80). Kept in memory by the shell: losing it only
 * shortens a delay, as in Kubernetes.
 *
 * @param failures since the last success
 * @param lastFailure when the last failed pod finished
 */
public record JobBackOff(int failures, @Nullable Instant lastFailure) {

  public static final JobBackOff NONE = new JobBackOff(0, null);

  static final Duration FIRST = Duration.ofSeconds(10);
  static final Duration LONGEST = Duration.ofMinutes(10);
  private static final Duration FORGOTTEN_IN_PLACE = Duration.ofMinutes(10);

  /** Returns the memory after these pods ended; each is counted by the caller only once. */
  JobBackOff seen(List<JobPod> succeeded, List<JobPod> failed, JobSpec.Kin kin, Instant now) {
    Instant success = null;
    for (var pod : succeeded) {
      success = latest(success, pod.finishedAt());
    }
    boolean inPlace = kin == JobSpec.Kin.IN_PLACE_JOBSET;
    boolean forget =
        inPlace && lastFailure != null && lastFailure.plus(FORGOTTEN_IN_PLACE).isBefore(now);
    boolean anew = forget || success != null;
    int count = anew ? 0 : failures;
    var failure = anew ? null : lastFailure;
    for (var pod : failed) {
      if (inPlace && (pod.workerStarted() || pod.disrupted())) {
        continue; // maxRestarts bounds this loop (JB-84)
      }
      if (success == null || pod.finishedAt().isAfter(success)) {
        failure = latest(failure, pod.finishedAt());
        count++;
      }
    }
    return new JobBackOff(count, failure);
  }

  /** No new pods before this time. */
  Instant due() {
    return failures == 0 || lastFailure == null ? Instant.MIN : lastFailure.plus(delay(failures));
  }

  /** 10 s, 20 s, 40 s … 600 s. */
  static Duration delay(int failures) {
    if (failures <= 0) {
      return Duration.ZERO;
    }
    var delay = FIRST.multipliedBy(1L << Math.min(failures - 1, 20));
    return delay.compareTo(LONGEST) > 0 ? LONGEST : delay;
  }

  private static Instant latest(@Nullable Instant one, Instant other) {
    return one == null || other.isAfter(one) ? other : one;
  }
}
