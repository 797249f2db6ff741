package dev.regroup.control.pods;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.job.JobKeys;
import dev.regroup.api.job.JobPodReader;
import dev.regroup.api.job.PlacementReader;
import dev.regroup.api.pod.GroupPodReader;
import dev.regroup.api.pod.RestartHistories;
import dev.regroup.api.pod.StatusReader;
import dev.regroup.api.tree.Owner;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.RuleGate;
import java.util.Set;

/** Makes the slim view of a pod from its tree. */
public final class PodReader {

  private final GroupPodReader groups;

  /** Exits are judged under these gates, those of the nodes. */
  public PodReader(Set<RuleGate> gates) {
    this.groups = new GroupPodReader(gates);
  }

  public ControlledPod read(ObjectNode pod) {
    var finalizers = Trees.texts(pod, "metadata", "finalizers");
    finalizers.remove(JobKeys.TRACKING);
    var statuses = StatusReader.containers(pod);
    return new ControlledPod(
        Owner.controller(pod),
        Trees.map(pod, "metadata", "labels"),
        finalizers,
        Trees.text(pod, "spec", "nodeName"),
        JobPodReader.read(pod, statuses),
        groups.read(pod, statuses),
        PlacementReader.read(pod),
        RestartHistories.written(Trees.at(pod, "metadata", "annotations")));
  }
}
