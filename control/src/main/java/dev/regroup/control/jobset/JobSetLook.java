package dev.regroup.control.jobset;

import dev.regroup.rules.jobset.ChildJob;
import dev.regroup.rules.jobset.JobSetGates;
import dev.regroup.rules.jobset.JobSetPlan;
import dev.regroup.rules.jobset.JobSetSpec;
import dev.regroup.rules.jobset.JobSetStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * All that a pass over a JobSet depends on. What the controller writes down when it meets a bug, so
 * that a test meets it again.
 */
record JobSetLook(
    JobSetSpec spec,
    JobSetStatus status,
    JobSetGates gates,
    List<ChildJob> children,
    JobSetPlan.World world,
    Optional<JobSetPlan.Group> group,
    Instant now) {

  JobSetPlan plan(JobSetPlan.Patterns patterns) {
    return JobSetPlan.plan(spec, status, gates, children, world, group, patterns, now);
  }
}
