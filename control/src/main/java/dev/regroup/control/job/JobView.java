package dev.regroup.control.job;

import dev.regroup.api.tree.Owner;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.job.JobStatus;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What controllers keep of a Job.
 *
 * @param spec empty when the completion mode is unknown (JB-42)
 * @param foreign another controller manages it (JB-92)
 * @param createdAt when it was made
 */
public record JobView(
    String uid,
    Optional<Owner> controller,
    Map<String, String> labels,
    Optional<JobSpec> spec,
    JobStatus status,
    Map<String, String> selector,
    boolean foreign,
    boolean deleting,
    long generation,
    OptionalInt ttlSecondsAfterFinished,
    @Nullable Instant createdAt) {

  public JobView {
    labels = Map.copyOf(labels);
    selector = Map.copyOf(selector);
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
