package dev.regroup.control.pods;

import dev.regroup.api.tree.Owner;
import dev.regroup.rules.group.GroupPod;
import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.jobset.ExclusivePlace;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What controllers keep of a pod.
 *
 * @param job what its Job has to know
 * @param group what its group has to know, if it carries the label of a JobSet
 * @param finalizers other than that of the Job controller
 * @param node empty while it is not assigned
 * @param place under exclusive placement
 * @param story what it tells of its restarts, as it was written: read when somebody asks
 */
public record ControlledPod(
    Optional<Owner> controller,
    Map<String, String> labels,
    List<String> finalizers,
    String node,
    JobPod job,
    Optional<GroupPod> group,
    Optional<ExclusivePlace> place,
    Map<String, String> story) {

  public ControlledPod {
    labels = Map.copyOf(labels);
    finalizers = List.copyOf(finalizers);
    story = Map.copyOf(story);
  }
}
