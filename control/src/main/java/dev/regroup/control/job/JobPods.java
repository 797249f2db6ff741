package dev.regroup.control.job;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.job.JobKeys;
import dev.regroup.api.tree.Owner;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.job.JobPlan;

/** Makes the pods of a Job from its template (JB-30 to JB-33). Unknown fields are kept. */
final class JobPods {

  private static final int LONGEST_PREFIX = 58; // 63 minus five random characters
  private static final String INDEX_VARIABLE = "JOB_COMPLETION_INDEX";

  private JobPods() {}

  static ObjectNode make(ObjectNode job, JobPlan.NewPod wanted) {
    var name = Trees.text(job, "metadata", "name");
    var template = job.path("spec").path("template");
    var pod = Wire.object().put("apiVersion", "v1").put("kind", "Pod");
    var metadata = pod.putObject("metadata");
    metadata.put("generateName", prefix(name, wanted.index()));
    metadata.put("namespace", Trees.text(job, "metadata", "namespace"));
    var labels = copy(metadata, "labels", template.path("metadata").path("labels"));
    var annotations = copy(metadata, "annotations", template.path("metadata").path("annotations"));
    var finalizers = metadata.putArray("finalizers");
    template.path("metadata").path("finalizers").forEach(finalizers::add);
    if (!Trees.texts(template, "metadata", "finalizers").contains(JobKeys.TRACKING)) {
      finalizers.add(JobKeys.TRACKING);
    }
    metadata
        .putArray("ownerReferences")
        .add(new Owner("batch/v1", "Job", name, Trees.text(job, "metadata", "uid")).reference());
    ObjectNode spec = template.path("spec").deepCopy();
    pod.set("spec", spec);
    if (wanted.index() >= 0) {
      index(name, wanted, labels, annotations, spec);
      if (job.path("spec").hasNonNull("backoffLimitPerIndex")) {
        annotations.put(JobKeys.FAILURE_COUNT, Integer.toString(wanted.failureCount()));
        if (wanted.ignoredFailureCount() > 0) {
          annotations.put(JobKeys.IGNORED_COUNT, Integer.toString(wanted.ignoredFailureCount()));
        }
      }
    }
    if (annotations.isEmpty()) {
      metadata.remove("annotations");
    }
    return pod;
  }

  private static ObjectNode copy(
      ObjectNode metadata, String field, com.fasterxml.jackson.databind.JsonNode from) {
    ObjectNode copy = from.isObject() ? from.deepCopy() : Wire.object();
    metadata.set(field, copy);
    return copy;
  }

  /** The name is cut so that the prefix still ends with the index (JB-32). */
  static String prefix(String job, int index) {
    if (index < 0) {
      return job + "-"; // the server cuts it
    }
    var end = "-" + index + "-";
    int room = LONGEST_PREFIX - end.length();
    return (job.length() > room ? job.substring(0, room) : job) + end;
  }

  private static void index(
      String job,
      JobPlan.NewPod wanted,
      ObjectNode labels,
      ObjectNode annotations,
      ObjectNode spec) {
    var index = Integer.toString(wanted.index());
    labels.put(JobKeys.COMPLETION_INDEX, index);
    annotations.put(JobKeys.COMPLETION_INDEX, index);
    spec.put("hostname", job + "-" + index);
    for (var list : new String[] {"initContainers", "containers"}) {
      for (var container : spec.path(list)) {
        if (container instanceof ObjectNode object) {
          addVariable(object);
        }
      }
    }
  }

  private static void addVariable(ObjectNode container) {
    for (var variable : container.path("env")) {
      if (Trees.text(variable, "name").equals(INDEX_VARIABLE)) {
        return;
      }
    }
    ArrayNode env = container.withArrayProperty("env");
    env.addObject()
        .put("name", INDEX_VARIABLE)
        .putObject("valueFrom")
        .putObject("fieldRef")
        .put("fieldPath", "metadata.labels['" + JobKeys.COMPLETION_INDEX + "']");
  }
}
