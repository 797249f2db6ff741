package dev.regroup.cli.check;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.pod.PodSpecs;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.pod.PodSpec;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One pod template of an admitted object, as its pods will be.
 *
 * @param replicatedJob name of the entry of a JobSet, empty elsewhere
 * @param field path of the pod's spec inside the object
 * @param pod a whole pod, admitted
 * @param ownJob the Job it belongs to, admitted; for a JobSet one of those it will make
 */
public record PodTemplate(
    String replicatedJob, String field, ObjectNode pod, @Nullable ObjectNode ownJob) {

  public Optional<ObjectNode> job() {
    return Optional.ofNullable(ownJob);
  }

  /** What decisions are made on. */
  public PodSpec spec() {
    return PodSpecs.of(pod);
  }

  static PodTemplate ofPod(ObjectNode pod) {
    return new PodTemplate("", "spec", named(pod.deepCopy(), pod), null);
  }

  static PodTemplate ofJob(ObjectNode job) {
    return new PodTemplate("", "spec.template.spec", podOf(job), job);
  }

  static PodTemplate ofReplicatedJob(ObjectNode jobSet, String name, int position, ObjectNode job) {
    ObjectNode pod = podOf(job);
    Trees.child(Trees.child(pod, "metadata"), "labels")
        .put(JobSetKeys.JOBSET_NAME, Trees.text(jobSet, "metadata", "name"));
    return new PodTemplate(
        name, "spec.replicatedJobs[" + position + "].template.spec.template.spec", pod, job);
  }

  private static ObjectNode podOf(ObjectNode job) {
    ObjectNode pod = Wire.object().put("apiVersion", "v1").put("kind", "Pod");
    ObjectNode template = Trees.child(Trees.child(job.deepCopy(), "spec"), "template");
    pod.set("metadata", Trees.child(template, "metadata"));
    pod.set("spec", Trees.child(template, "spec"));
    return named(pod, job);
  }

  private static ObjectNode named(ObjectNode pod, ObjectNode owner) {
    ObjectNode metadata = Trees.child(pod, "metadata");
    metadata.put("name", Trees.text(owner, "metadata", "name") + "-0");
    metadata.put("namespace", Trees.text(owner, "metadata", "namespace"));
    metadata.put("uid", "uid");
    return pod;
  }
}
