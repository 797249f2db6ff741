package dev.regroup.control.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetReader;
import dev.regroup.api.jobset.JobSetStatusReader;
import dev.regroup.api.pod.RestartRequests;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.group.GroupRestartRequest;
import dev.regroup.rules.jobset.JobSetSpec;
import dev.regroup.rules.jobset.JobSetStatus;
import java.util.Optional;

/**
 * What the controller keeps of a JobSet. There are few of them, so the tree stays whole: Jobs are
 * made from it with every field the user wrote.
 */
public record JobSetView(
    JobSetSpec spec,
    JobSetStatus status,
    Optional<GroupRestartRequest> request,
    boolean deleting,
    ObjectNode tree) {

  public static JobSetView read(ObjectNode jobSet) {
    return new JobSetView(
        JobSetReader.spec(jobSet),
        JobSetStatusReader.read(jobSet.path("status")),
        RestartRequests.ofGroup(Trees.map(jobSet, "metadata", "annotations")),
        Trees.has(jobSet, "metadata", "deletionTimestamp"),
        jobSet.deepCopy());
  }
}
