package dev.regroup.control.pods;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.job.JobKeys;
import dev.regroup.api.job.JobPodReader;
import dev.regroup.api.tree.Owner;
import dev.regroup.api.tree.Trees;

/** Makes the slim view of a pod from its tree. */
public final class PodReader {

  private PodReader() {}

  public static ControlledPod read(ObjectNode pod) {
    var finalizers = Trees.texts(pod, "metadata", "finalizers");
    finalizers.remove(JobKeys.TRACKING);
    return new ControlledPod(
        Owner.controller(pod),
        Trees.map(pod, "metadata", "labels"),
        finalizers,
        Trees.text(pod, "spec", "nodeName"),
        JobPodReader.read(pod),
        GroupPodReader.read(pod));
  }
}
