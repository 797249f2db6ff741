package dev.regroup.api.admission.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.pod.PodDefaults;
import dev.regroup.api.tree.Trees;

/** What decoding fills into a Job (JB-1 to JB-12), and the labels that tie pods to it (JB-20). */
public final class JobDefaults {

  static final String JOB_NAME = "batch.kubernetes.io/job-name";
  static final String CONTROLLER_UID = "batch.kubernetes.io/controller-uid";
  static final String OLD_JOB_NAME = "job-name";
  static final String OLD_CONTROLLER_UID = "controller-uid";

  private JobDefaults() {}

  static void apply(ObjectNode spec) {
    if (!Trees.has(spec, "completions") && !Trees.has(spec, "parallelism")) {
      spec.put("completions", 1);
    }
    Trees.fill(spec, "parallelism", 1);
    Trees.fill(
        spec, "backoffLimit", Trees.has(spec, "backoffLimitPerIndex") ? Integer.MAX_VALUE : 6);
    fillAbsent(spec, "completionMode", "NonIndexed");
    Trees.fill(spec, "suspend", false);
    Trees.fill(spec, "manualSelector", false);
    fillAbsent(
        spec,
        "podReplacementPolicy",
        Trees.has(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
    for (ObjectNode rule : Trees.objects(spec, "podFailurePolicy", "rules")) {
      for (ObjectNode pattern : Trees.objects(rule, "onPodConditions")) {
        Trees.fill(pattern, "status", "True");
      }
    }
    ObjectNode template = Trees.child(spec, "template");
    PodDefaults.ofTemplate(Trees.child(template, "spec"));
  }

  /** An empty text is a value here, and a wrong one. */
  private static void fillAbsent(ObjectNode spec, String field, String value) {
    if (!Trees.has(spec, field)) {
      spec.put(field, value);
    }
  }

  /** Generates selector and pod labels; what a user set stays and is checked later (JB-20). */
  static void select(ObjectNode job) {
    ObjectNode spec = Trees.child(job, "spec");
    if (Trees.isTrue(spec, "manualSelector")) {
      return;
    }
    String name = Trees.text(job, "metadata", "name");
    String uid = Trees.text(job, "metadata", "uid");
    ObjectNode labels =
        Trees.child(Trees.child(Trees.child(spec, "template"), "metadata"), "labels");
    Trees.fill(labels, OLD_JOB_NAME, name);
    Trees.fill(labels, JOB_NAME, name);
    Trees.fill(labels, OLD_CONTROLLER_UID, uid);
    Trees.fill(labels, CONTROLLER_UID, uid);
    ObjectNode selected = Trees.child(Trees.child(spec, "selector"), "matchLabels");
    Trees.fill(selected, CONTROLLER_UID, uid);
  }
}
