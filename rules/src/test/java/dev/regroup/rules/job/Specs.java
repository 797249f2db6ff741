package dev.regroup.rules.job;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** A Job spec with some things different. */
record Specs(JobSpec spec) {

  static Specs of(JobSpec spec) {
    return new Specs(spec);
  }

  Specs size(int parallelism, OptionalInt completions, JobSpec.Completion completion) {
    return make(
        parallelism,
        completions,
        completion,
        spec.backoffLimit(),
        spec.backoffLimitPerIndex(),
        spec.maxFailedIndexes(),
        spec.podFailurePolicy(),
        spec.successPolicy(),
        spec.replace(),
        spec.activeDeadlineSeconds(),
        spec.wish(),
        spec.podRestart(),
        spec.kin());
  }

  Specs limits(int backoff, OptionalInt perIndex, OptionalInt maxFailed) {
    return make(
        spec.parallelism(),
        spec.completions(),
        spec.completion(),
        backoff,
        perIndex,
        maxFailed,
        spec.podFailurePolicy(),
        spec.successPolicy(),
        spec.replace(),
        spec.activeDeadlineSeconds(),
        spec.wish(),
        spec.podRestart(),
        spec.kin());
  }

  Specs policies(FailurePolicy failure, List<JobSpec.SuccessRule> success) {
    return make(
        spec.parallelism(),
        spec.completions(),
        spec.completion(),
        spec.backoffLimit(),
        spec.backoffLimitPerIndex(),
        spec.maxFailedIndexes(),
        Optional.of(failure),
        success,
        spec.replace(),
        spec.activeDeadlineSeconds(),
        spec.wish(),
        spec.podRestart(),
        spec.kin());
  }

  Specs behaviour(JobSpec.Replace replace, JobSpec.PodRestart restart, JobSpec.Kin kin) {
    return make(
        spec.parallelism(),
        spec.completions(),
        spec.completion(),
        spec.backoffLimit(),
        spec.backoffLimitPerIndex(),
        spec.maxFailedIndexes(),
        spec.podFailurePolicy(),
        spec.successPolicy(),
        replace,
        spec.activeDeadlineSeconds(),
        spec.wish(),
        restart,
        kin);
  }

  Specs wish(JobSpec.Wish wish, OptionalLong deadline) {
    return make(
        spec.parallelism(),
        spec.completions(),
        spec.completion(),
        spec.backoffLimit(),
        spec.backoffLimitPerIndex(),
        spec.maxFailedIndexes(),
        spec.podFailurePolicy(),
        spec.successPolicy(),
        spec.replace(),
        deadline,
        wish,
        spec.podRestart(),
        spec.kin());
  }

  private Specs make(
      int parallelism,
      OptionalInt completions,
      JobSpec.Completion completion,
      int backoff,
      OptionalInt perIndex,
      OptionalInt maxFailed,
      Optional<FailurePolicy> failure,
      List<JobSpec.SuccessRule> success,
      JobSpec.Replace replace,
      OptionalLong deadline,
      JobSpec.Wish wish,
      JobSpec.PodRestart restart,
      JobSpec.Kin kin) {
    return new Specs(
        new JobSpec(
            spec.namespace(),
            spec.name(),
            parallelism,
            completions,
            completion,
            backoff,
            perIndex,
            maxFailed,
            failure,
            success,
            replace,
            deadline,
            wish,
            restart,
            kin));
  }
}
