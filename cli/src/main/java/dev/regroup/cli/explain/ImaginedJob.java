package dev.regroup.cli.explain;

import dev.regroup.rules.job.IndexSet;
import dev.regroup.rules.job.JobBackOff;
import dev.regroup.rules.job.JobPlan;
import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.job.JobStatus;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntPredicate;

/** A Job with one pod that shows the outcome of an exit; the Job's planner says what follows. */
final class ImaginedJob {

  private static final Instant NOW = Instant.ofEpochSecond(10_000);

  private final JobSpec spec;

  ImaginedJob(JobSpec spec) {
    this.spec = spec;
  }

  JobOutcome after(PodOutcome pod) {
    return switch (pod.phase()) {
      case PENDING, RUNNING -> kept(pod);
      case SUCCEEDED -> succeeded(pod);
      case FAILED -> failed(pod);
    };
  }

  /** Restarts inside a pod count under OnFailure (JB-47 step 4, RAC-79). */
  private JobOutcome kept(PodOutcome pod) {
    int each = pod.restarts();
    if (each == 0 || spec.backoffLimit() == Integer.MAX_VALUE) {
      return JobOutcome.of(JobOutcome.Kind.KEEPS_POD, 0);
    }
    int limit =
        first(times -> {
          int sum = (int) Math.min(Integer.MAX_VALUE, (long) each * times);
          return failure(plan(pod(JobPod.Phase.RUNNING, pod, sum), 0)).isPresent();
        });
    if (limit == 1) {
      return failed(failure(plan(pod(JobPod.Phase.RUNNING, pod, each), 0)).orElseThrow());
    }
    return JobOutcome.of(JobOutcome.Kind.KEEPS_POD, limit);
  }

  private static JobOutcome failed(JobStatus.Condition failure) {
    return new JobOutcome(JobOutcome.Kind.FAILS, failure.reason(), failure.message(), 0);
  }

  private JobOutcome succeeded(PodOutcome pod) {
    var plan = plan(pod(JobPod.Phase.SUCCEEDED, pod, 0), 0);
    boolean complete =
        plan.status().is(JobStatus.Type.COMPLETE)
            || plan.status().is(JobStatus.Type.SUCCESS_CRITERIA_MET);
    return JobOutcome.of(complete ? JobOutcome.Kind.COMPLETES : JobOutcome.Kind.COUNTS_SUCCESS, 0);
  }

  private JobOutcome failed(PodOutcome outcome) {
    var pod = pod(JobPod.Phase.FAILED, outcome, 0);
    var first = plan(pod, 0);
    var failure = failure(first);
    if (failure.isPresent()) {
      return failed(failure.get());
    }
    if (first.status().failedIndexes().filter(failed -> failed.contains(0)).isPresent()) {
      return JobOutcome.of(JobOutcome.Kind.FAILS_INDEX, 0);
    }
    return JobOutcome.of(JobOutcome.Kind.RECREATES_POD, failureLimit(pod));
  }

  /** The failure that is one too many; none when the policy ignores it or there is no limit. */
  private int failureLimit(JobPod pod) {
    int limit = spec.backoffLimit();
    if (limit == Integer.MAX_VALUE || failure(plan(pod, limit)).isEmpty()) {
      return 0;
    }
    return limit + 1;
  }

  /** The smallest positive number that holds, 0 for none; what holds for n holds for n + 1. */
  private static int first(IntPredicate holds) {
    int low = 1;
    int high = Integer.MAX_VALUE - 1;
    if (!holds.test(high)) {
      return 0;
    }
    while (low < high) {
      int middle = low + (high - low) / 2;
      if (holds.test(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private static Optional<JobStatus.Condition> failure(JobPlan plan) {
    var target = plan.status().condition(JobStatus.Type.FAILURE_TARGET);
    return target
        .or(() -> plan.status().condition(JobStatus.Type.FAILED))
        .filter(JobStatus.Condition::on);
  }

  private JobPlan plan(JobPod pod, int failedBefore) {
    var status =
        new JobStatus(
            1,
            1,
            0,
            0,
            failedBefore,
            IndexSet.EMPTY,
            spec.backoffLimitPerIndex().isPresent()
                ? Optional.of(IndexSet.EMPTY)
                : Optional.empty(),
            NOW,
            null,
            List.of(),
            List.of(),
            List.of());
    return JobPlan.plan(spec, status, List.of(pod), JobBackOff.NONE, JobPlan.Sight.CLEAR, NOW);
  }

  private JobPod pod(JobPod.Phase phase, PodOutcome outcome, int restarts) {
    return new JobPod(
        "uid",
        spec.name() + "-0",
        spec.indexed() ? OptionalInt.of(0) : OptionalInt.empty(),
        phase,
        false,
        true,
        phase == JobPod.Phase.RUNNING,
        null,
        true,
        new JobPod.Restarts(restarts, restarts, 0),
        NOW,
        NOW,
        containers(outcome.last()),
        List.of(),
        0,
        0,
        true);
  }

  /** App containers first, as the Job reads them (JB-71). */
  private static List<JobPod.Container> containers(List<ContainerStatus> statuses) {
    var sorted = new ArrayList<>(statuses);
    sorted.sort(Comparator.comparingInt(status -> status.kind() == ContainerKind.REGULAR ? 0 : 1));
    return sorted.stream()
        .map(status ->
            new JobPod.Container(
                status.name(),
                status.state() instanceof Terminated ended
                    ? OptionalInt.of(ended.exitCode())
                    : OptionalInt.empty()))
        .toList();
  }
}
