package dev.regroup.api.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.job.JobStatus;
import dev.regroup.rules.jobset.ChildJob;
import java.time.Instant;
import java.util.OptionalInt;

/** Reads a Job as the JobSet sees it that made it (JS-75, JS-77). */
public final class ChildJobReader {

  private ChildJobReader() {}

  public static ChildJob read(JsonNode job) {
    var metadata = job.path("metadata");
    var labels = Trees.map(metadata, "labels");
    var spec = JobReader.spec(job);
    var status = JobReader.status(job);
    return new ChildJob(
        Trees.text(metadata, "name"),
        Trees.text(metadata, "uid"),
        labels.getOrDefault(JobSetKeys.REPLICATED_JOB_NAME, ""),
        Trees.decimal(labels.get(JobSetKeys.JOB_INDEX)),
        Trees.decimal(labels.get(JobSetKeys.RESTART_ATTEMPT)),
        Trees.decimal(labels.get(JobSetKeys.JOB_RESTART_ATTEMPT)),
        Trees.has(metadata, "deletionTimestamp"),
        spec.map(one -> one.wish() == JobSpec.Wish.SUSPEND).orElse(false),
        status.startTime() != null,
        end(status),
        status.active(),
        status.ready(),
        status.succeeded(),
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
