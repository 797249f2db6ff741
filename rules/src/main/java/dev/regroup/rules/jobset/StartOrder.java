package dev.regroup.rules.jobset;

import dev.regroup.rules.group.Tally;
import java.util.Optional;

/** When a replicated job may start (JS-81, JS-82, JS-133 b). */
final class StartOrder {

  private final JobSetSpec spec;
  private final JobSetStatus counts;
  private final Optional<Tally> tally;

  StartOrder(JobSetSpec spec, JobSetStatus counts, Optional<Tally> tally) {
    this.spec = spec;
    this.counts = counts;
    this.tally = tally;
  }

  boolean dependenciesHold(JobSetSpec.ReplicatedJob job) {
    return job.dependsOn().stream().allMatch(this::holds);
  }

  private boolean holds(JobSetSpec.Dependency dependency) {
    var job = spec.job(dependency.name());
    if (job.isEmpty()) {
      return false;
    }
    return switch (dependency.until()) {
      case COMPLETE -> status(job.get()).succeeded() == job.get().replicas();
      case READY -> started(job.get());
    };
  }

  /** Ready, ended, or all its pods wait at the barrier and can get no further (JS-133 b). */
  boolean started(JobSetSpec.ReplicatedJob job) {
    var status = status(job);
    if (status.ready() + status.succeeded() + status.failed() == job.replicas()) {
      return true;
    }
    if (tally.isEmpty() || !job.participates()) {
      return false;
    }
    var atAttempt = tally.get().ready().get(job.name());
    int target = counts.group().barrier().target();
    return atAttempt != null
        && atAttempt.getOrDefault(target, 0) >= job.replicas() * job.parallelism();
  }

  private JobSetStatus.ReplicatedJobStatus status(JobSetSpec.ReplicatedJob job) {
    return counts
        .replicatedJob(job.name())
        .orElseThrow(() -> new IllegalStateException("no status for " + job.name()));
  }
}
