package dev.regroup.control.jobset;

import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Read;
import dev.regroup.client.informer.Item;
import dev.regroup.control.job.JobView;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.job.JobStatus;
import dev.regroup.rules.jobset.ChildJob;
import java.time.Instant;
import java.util.OptionalInt;

/** A child Job as its JobSet sees it (JS-75, JS-77). */
final class ChildReader {

  private ChildReader() {}

  static ChildJob read(Item<JobView> item) {
    var job = item.value();
    var labels = job.labels();
    var spec = job.spec();
    return new ChildJob(
        item.key().name(),
        item.uid(),
        labels.getOrDefault(JobSetKeys.REPLICATED_JOB_NAME, ""),
        Read.decimal(labels.get(JobSetKeys.JOB_INDEX)),
        Read.decimal(labels.get(JobSetKeys.RESTART_ATTEMPT)),
        Read.decimal(labels.get(JobSetKeys.JOB_RESTART_ATTEMPT)),
        job.deleting(),
        spec.map(one -> one.wish() == JobSpec.Wish.SUSPEND).orElse(false),
        job.status().startTime() != null,
        end(job.status()),
        job.status().active(),
        job.status().ready(),
        job.status().succeeded(),
        spec.map(JobSpec::parallelism).orElse(1),
        spec.map(JobSpec::completions).orElse(OptionalInt.empty()));
  }

  private static ChildJob.End end(JobStatus status) {
    if (status.is(JobStatus.Type.FAILED)) {
      var failed = status.condition(JobStatus.Type.FAILED).orElseThrow();
      var at = failed.changedAt();
      return new ChildJob.End.Failed(
          failed.reason(), failed.message(), at == null ? Instant.EPOCH : at);
    }
    return status.is(JobStatus.Type.COMPLETE)
        ? new ChildJob.End.Complete()
        : new ChildJob.End.None();
  }
}
