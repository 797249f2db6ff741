package dev.regroup.control.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.job.ChildJobReader;
import dev.regroup.api.job.JobReader;
import dev.regroup.api.tree.Owner;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.job.JobStatus;
import dev.regroup.rules.jobset.ChildJob;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What controllers keep of a Job.
 *
 * @param spec empty when the completion mode is unknown (JB-42)
 * @param foreignManager another controller that manages it (JB-92)
 * @param createdAt when it was made
 * @param child what the JobSet has to know that made it
 */
public record JobView(
    String uid,
    Optional<Owner> controller,
    Map<String, String> labels,
    Optional<JobSpec> spec,
    JobStatus status,
    Map<String, String> selector,
    Optional<String> foreignManager,
    boolean deleting,
    long generation,
    OptionalInt ttlSecondsAfterFinished,
    @Nullable Instant createdAt,
    ChildJob child) {

  public JobView {
    labels = Map.copyOf(labels);
    selector = Map.copyOf(selector);
  }

  public static JobView read(ObjectNode job) {
    var metadata = job.path("metadata");
    return new JobView(
        Trees.text(metadata, "uid"),
        Owner.controller(job),
        Trees.map(metadata, "labels"),
        JobReader.spec(job),
        JobReader.status(job),
        JobReader.selector(job),
        JobReader.foreignManager(job),
        Trees.has(metadata, "deletionTimestamp"),
        Trees.number(metadata, "generation").orElse(0),
        JobReader.ttlSecondsAfterFinished(job),
        Trees.time(metadata, "creationTimestamp"),
        ChildJobReader.read(job));
  }

  /** When it finished, by its last condition (JB-91). */
  public Optional<Instant> finishedAt() {
    var end =
        status.is(JobStatus.Type.COMPLETE)
            ? status.condition(JobStatus.Type.COMPLETE)
            : status.condition(JobStatus.Type.FAILED).filter(JobStatus.Condition::on);
    return end.map(JobStatus.Condition::changedAt);
  }
}
