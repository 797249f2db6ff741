package dev.regroup.control.job;

import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import dev.regroup.rules.job.FailurePolicy;
import dev.regroup.rules.job.IndexSet;
import dev.regroup.rules.job.JobPlan;
import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.job.JobStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Counts what the Job controller does (JB-97), each thing once it has been done: what a status
 * write made true is read off the two statuses. Any thread.
 */
final class JobFigures {

  static final MetricFamily SYNC_TIME =
      MetricFamily.histogram(
          "job_controller_job_sync_duration_seconds",
          "Time of one look at a Job",
          "completion_mode",
          "result",
          "action");

  static final MetricFamily SYNCS =
      MetricFamily.counter(
          "job_controller_job_syncs_total", "Looks at Jobs", "completion_mode", "result", "action");

  static final MetricFamily FINISHED =
      MetricFamily.counter(
          "job_controller_jobs_finished_total",
          "Jobs that finished",
          "completion_mode",
          "result",
          "reason");

  static final MetricFamily PODS_FINISHED =
      MetricFamily.counter(
          "job_controller_job_pods_finished_total",
          "Pods whose end was counted in the status of their Job",
          "completion_mode",
          "result");

  static final MetricFamily POLICY =
      MetricFamily.counter(
          "job_controller_pod_failures_handled_by_failure_policy_total",
          "Failed pods that a rule of their Job's policy decided about",
          "action");

  static final MetricFamily FINALIZERS =
      MetricFamily.counter(
          "job_controller_terminated_pods_tracking_finalizer_total",
          "Pods that ended with the tracking finalizer (add), and those that lost it (delete)",
          "event");

  static final MetricFamily INDEXES =
      MetricFamily.counter(
          "job_controller_job_finished_indexes_total",
          "Indexes that finished",
          "status",
          "backoffLimit");

  static final MetricFamily CREATIONS =
      MetricFamily.counter(
          "job_controller_job_pods_creation_total",
          "Tries to make a pod, and what it was to replace",
          "reason",
          "status");

  static final MetricFamily FOREIGN =
      MetricFamily.counter(
          "job_controller_jobs_by_external_controller_total",
          "Jobs that another controller manages",
          "controller_name");

  /** How something went. */
  enum Result {
    SUCCESS,
    ERROR
  }

  private final Metrics metrics;

  JobFigures(Metrics metrics) {
    this.metrics = metrics;
  }

  /** A plan was performed. */
  void synced(JobSpec spec, JobPlan plan, Result result, Duration took) {
    var word = result == Result.SUCCESS ? "success" : "error";
    var action = action(plan);
    metrics.count(SYNCS, mode(spec), word, action);
    metrics.took(SYNC_TIME, took, mode(spec), word, action);
  }

  /** What the plan was mainly for. */
  private static String action(JobPlan plan) {
    var action = "reconciling";
    for (var effect : plan.effects()) {
      switch (effect) {
        case JobPlan.Effect.CreatePods _ -> {
          return "pods_created";
        }
        case JobPlan.Effect.DeletePods _ -> {
          return "pods_deleted";
        }
        case JobPlan.Effect.RemoveFinalizers _ -> action = "tracking";
        case JobPlan.Effect.WriteStatus _ -> {}
      }
    }
    return action;
  }

  /** A status was written. */
  void written(JobSpec spec, JobStatus before, JobStatus after) {
    more(PODS_FINISHED, after.succeeded() - before.succeeded(), mode(spec), "succeeded");
    more(PODS_FINISHED, after.failed() - before.failed(), mode(spec), "failed");
    if (spec.indexed()) {
      var limit = spec.backoffLimitPerIndex().isPresent() ? "perIndex" : "global";
      int done = after.completedIndexes().size() - before.completedIndexes().size();
      more(INDEXES, done, "succeeded", limit);
      more(INDEXES, failed(after) - failed(before), "failed", limit);
    }
    if (!before.finished()) {
      ended(spec, after, JobStatus.Type.COMPLETE, "succeeded");
      ended(spec, after, JobStatus.Type.FAILED, "failed");
    }
  }

  private static int failed(JobStatus status) {
    return status.failedIndexes().map(IndexSet::size).orElse(0);
  }

  private void ended(JobSpec spec, JobStatus status, JobStatus.Type type, String result) {
    status
        .condition(type)
        .filter(JobStatus.Condition::on)
        .ifPresent(end -> metrics.count(FINISHED, mode(spec), result, end.reason()));
  }

  /** A pod was made, or could not be; {@code planned} has counted those before it. */
  void created(JobSpec spec, JobStatus planned, Result result) {
    boolean failures = planned.failed() > 0 || !planned.uncountedFailed().isEmpty();
    String reason = "new";
    if (failures && spec.replace() == JobSpec.Replace.FAILED) {
      reason = "recreate_failed";
    } else if (failures || planned.terminating() > 0) {
      reason = "recreate_terminating_or_failed";
    }
    metrics.count(CREATIONS, reason, result == Result.SUCCESS ? "succeeded" : "failed");
  }

  /** The finalizers of these pods are gone: nobody will judge them again. */
  void judged(JobView job, List<JobPod> pods) {
    var policy = job.spec().flatMap(JobSpec::podFailurePolicy);
    if (policy.isEmpty() || job.status().finished() || job.deleting()) {
      return; // or nobody has judged them
    }
    for (var pod : pods) {
      if (pod.phase() == JobPod.Phase.FAILED) {
        policy
            .get()
            .judge(job.spec().orElseThrow().namespace(), pod)
            .ifPresent(verdict -> metrics.count(POLICY, word(verdict.action())));
      }
    }
  }

  private static String word(FailurePolicy.Action action) {
    return switch (action) {
      case FAIL_JOB -> "FailJob";
      case FAIL_INDEX -> "FailIndex";
      case IGNORE -> "Ignore";
      case COUNT -> "Count";
      case UNKNOWN -> throw new IllegalArgumentException("a rule that is skipped judges nothing");
    };
  }

  /** A pod looks different now. */
  void changed(Optional<JobPod> before, Optional<JobPod> now) {
    boolean held = before.filter(JobFigures::isHeld).isPresent();
    boolean holds = now.filter(JobFigures::isHeld).isPresent();
    if (held != holds) {
      metrics.count(FINALIZERS, holds ? "add" : "delete");
    }
  }

  /** Whether it has ended and waits to be counted. */
  private static boolean isHeld(JobPod pod) {
    return pod.tracked() && pod.terminal();
  }

  /** A Job appeared that this controller leaves alone. */
  void foreign(String manager) {
    metrics.count(FOREIGN, manager);
  }

  private void more(MetricFamily counter, int count, String... labels) {
    if (count > 0) {
      metrics.add(counter, count, labels);
    }
  }

  private static String mode(JobSpec spec) {
    return spec.indexed() ? "Indexed" : "NonIndexed";
  }
}
