package dev.regroup.control.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.rules.group.GroupRestartRequest;
import dev.regroup.rules.jobset.JobSetSpec;
import dev.regroup.rules.jobset.JobSetStatus;
import java.util.Optional;

/**
 * What the controller keeps of a JobSet. There are few of them, so the tree stays whole: Jobs are
 * made from it with every field the user wrote.
 *
 * @param foreign another controller manages it (JS-73)
 */
public record JobSetView(
    JobSetSpec spec,
    JobSetStatus status,
    Optional<GroupRestartRequest> request,
    boolean foreign,
    boolean deleting,
    ObjectNode tree) {}
