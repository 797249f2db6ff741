package dev.regroup.rules.job;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The pods of one Job sorted once for all questions of a plan (JB-44, JB-45): what has newly ended,
 * what that makes of the counters, which indexes are done.
 */
final class SeenPods {

  final JobSpec spec;
  final JobStatus status;
  final List<JobPod> pods;
  final List<JobPod> active = new ArrayList<>();
  final List<JobPod> newSucceeded = new ArrayList<>();
  final List<JobPod> newFailed = new ArrayList<>();
  final List<JobPod> newCounted = new ArrayList<>();
  final IndexSet succeededIndexes;
  final @Nullable IndexSet failedIndexes;
  final int succeeded;
  final int failed;
  final int terminating;

  /** Per index: the failed pod whose finalizer stays until its replacement exists (JB-58). */
  final Map<Integer, JobPod> carriers = new HashMap<>();

  SeenPods(JobSpec spec, JobStatus status, List<JobPod> pods) {
    this.spec = spec;
    this.status = status;
    this.pods = pods;
    Set<String> openSucceeded = new HashSet<>(status.uncountedSucceeded());
    Set<String> openFailed = new HashSet<>(status.uncountedFailed());
    var indexes = status.completedIndexes().below(limit());
    int leaving = 0;
    for (var pod : pods) {
      if (pod.active()) {
        active.add(pod);
      }
      leaving += pod.leaving() ? 1 : 0;
      if (!pod.tracked() || !valid(pod)) {
        continue;
      }
      if (pod.phase() == JobPod.Phase.SUCCEEDED && !openSucceeded.contains(pod.uid())) {
        newSucceeded.add(pod);
        indexes = spec.indexed() ? indexes.with(pod.index().orElseThrow()) : indexes;
      }
      if (pod.failed(spec) && !openFailed.contains(pod.uid())) {
        newFailed.add(pod);
        if (action(pod) != FailurePolicy.Action.IGNORE) {
          newCounted.add(pod);
        }
      }
    }
    terminating = leaving;
    succeededIndexes = indexes;
    failedIndexes = spec.backoffLimitPerIndex().isPresent() ? failedIndexes() : null;
    succeeded =
        spec.indexed()
            ? indexes.size()
            : status.succeeded() + newSucceeded.size() + openSucceeded.size();
    failed = status.failed() + newCounted.size() + openFailed.size();
    if (failedIndexes != null) {
      findCarriers();
    }
  }

  /** An Indexed pod counts only with an index inside the range (JB-44). */
  boolean valid(JobPod pod) {
    return !spec.indexed() || (pod.index().isPresent() && pod.index().getAsInt() < limit());
  }

  int limit() {
    return spec.completions().orElse(Integer.MAX_VALUE);
  }

  FailurePolicy.Action action(JobPod pod) {
    return verdict(pod).map(FailurePolicy.Verdict::action).orElse(FailurePolicy.Action.COUNT);
  }

  /** Whether the policy leaves out a pod that fails as it stands, in whatever phase it is. */
  boolean ignored(JobPod pod) {
    return spec.podFailurePolicy()
        .flatMap(policy -> policy.judge(spec.namespace(), pod))
        .filter(verdict -> verdict.action() == FailurePolicy.Action.IGNORE)
        .isPresent();
  }

  /** Only a pod in phase Failed is judged; one that is only being deleted counts. */
  Optional<FailurePolicy.Verdict> verdict(JobPod pod) {
    return pod.phase() == JobPod.Phase.FAILED
        ? spec.podFailurePolicy().flatMap(policy -> policy.judge(spec.namespace(), pod))
        : Optional.empty();
  }

  int ready() {
    return (int) active.stream().filter(JobPod::ready).count();
  }

  /** JB-73: a counted pod that carries the limit, or FailIndex. */
  private IndexSet failedIndexes() {
    int limit = spec.backoffLimitPerIndex().orElse(0);
    var failedOnes = status.failedIndexes().orElse(IndexSet.EMPTY).below(limit());
    for (var pod : newFailed) {
      var action = action(pod);
      boolean counted = action != FailurePolicy.Action.IGNORE && pod.failureCount() >= limit;
      if (counted || action == FailurePolicy.Action.FAIL_INDEX) {
        failedOnes = failedOnes.with(pod.index().orElseThrow());
      }
    }
    return failedOnes;
  }

  private void findCarriers() {
    Set<Integer> taken = new HashSet<>();
    active.forEach(pod -> pod.index().ifPresent(taken::add));
    for (var pod : pods) {
      if (!pod.tracked() || !valid(pod) || !pod.failed(spec)) {
        continue;
      }
      int index = pod.index().orElseThrow();
      boolean over =
          taken.contains(index)
              || succeededIndexes.contains(index)
              || (failedIndexes != null && failedIndexes.contains(index));
      if (over) {
        continue;
      }
      carriers.merge(index, pod, SeenPods::moreFailures);
    }
  }

  private static JobPod moreFailures(JobPod one, JobPod other) {
    int a = one.failureCount() + one.ignoredFailureCount();
    int b = other.failureCount() + other.ignoredFailureCount();
    return b >= a && !other.finishedAt().isBefore(one.finishedAt()) ? other : one;
  }

  OptionalInt wantActive() {
    if (spec.completions().isEmpty()) {
      return succeeded > 0 ? OptionalInt.empty() : OptionalInt.of(spec.parallelism());
    }
    int left = Math.max(0, spec.completions().getAsInt() - succeeded);
    return OptionalInt.of(Math.min(spec.parallelism(), left));
  }
}
