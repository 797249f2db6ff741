package dev.regroup.api.admission.jobset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;

/** Defaults of the schema (every write) and of the mutating webhook (create only). */
final class JobSetDefaults {

  /** What in-place restarts need of a Job. */
  private static final List<String> IN_PLACE =
      List.of("backoffLimit", "podReplacementPolicy", "completions", "parallelism");

  private JobSetDefaults() {}

  /** What the definition's schema fills in, on create and update (JS-5, JS-7, JS-18, JS-25). */
  static void ofSchema(ObjectNode spec) {
    for (ObjectNode job : Trees.objects(spec, "replicatedJobs")) {
      fillAbsent(job, "groupName", "default");
      Trees.fill(job, "replicas", 1);
      ports(Trees.at(job, "template", "spec", "template", "spec"));
    }
    Trees.object(spec, "failurePolicy")
        .ifPresent(policy -> fillAbsent(policy, "restartStrategy", "Recreate"));
    for (ObjectNode policy : Trees.objects(spec, "volumeClaimPolicies")) {
      Trees.object(policy, "retentionPolicy")
          .ifPresent(retention -> fillAbsent(retention, "whenDeleted", "Delete"));
    }
  }

  private static void fillAbsent(ObjectNode node, String field, String value) {
    if (!Trees.has(node, field)) {
      node.put(field, value);
    }
  }

  private static void ports(JsonNode podSpec) {
    for (String list : List.of("containers", "initContainers")) {
      for (ObjectNode container : Trees.objects(podSpec, list)) {
        Trees.objects(container, "ports").forEach(port -> fillAbsent(port, "protocol", "TCP"));
      }
    }
  }

  /** What the mutating webhook fills in (JS-42, JS-42a). */
  static void ofWebhook(ObjectNode spec) {
    // An object that is given must be complete: only absent ones are filled in.
    if (!Trees.has(spec, "successPolicy")) {
      spec.putObject("successPolicy").put("operator", "All");
    }
    if (!Trees.has(spec, "startupPolicy")) {
      spec.putObject("startupPolicy").put("startupPolicyOrder", "AnyOrder");
    }
    ObjectNode network = Trees.child(spec, "network");
    Trees.fill(network, "enableDNSHostnames", true);
    Trees.fill(network, "publishNotReadyAddresses", true);
    for (ObjectNode job : Trees.objects(spec, "replicatedJobs")) {
      Trees.object(job, "template", "spec").ifPresent(JobSetDefaults::job);
    }
    var rules = Trees.objects(spec, "failurePolicy", "rules");
    for (int i = 0; i < rules.size(); i++) {
      Trees.fill(rules.get(i), "name", "failurePolicyRule" + i);
    }
    for (ObjectNode policy : Trees.objects(spec, "volumeClaimPolicies")) {
      fillAbsent(Trees.child(policy, "retentionPolicy"), "whenDeleted", "Delete");
    }
  }

  private static void job(ObjectNode jobSpec) {
    fillAbsent(jobSpec, "completionMode", "Indexed");
    ObjectNode podSpec = Trees.child(Trees.child(jobSpec, "template"), "spec");
    boolean never = Trees.has(jobSpec, "podFailurePolicy"); // else no Job could be made (JS-42a)
    Trees.fill(podSpec, "restartPolicy", never ? "Never" : "OnFailure");
  }

  /**
   * Fills in again what the creation filled in and the new object leaves out: a client that writes
   * its whole list again, as {@code kubectl apply} does, changes nothing by that. What somebody set
   * and now leaves out stays out.
   */
  static void again(ObjectNode jobSet, ObjectNode old) {
    var filled =
        List.of(
            Trees.text(old, "metadata", "annotations", JobSetKeys.IN_PLACE_RESTART_DEFAULTED)
                .split(",", -1));
    var jobs = Trees.objects(jobSet, "spec", "replicatedJobs");
    var before = Trees.objects(old, "spec", "replicatedJobs");
    for (int i = 0; i < Math.min(jobs.size(), before.size()); i++) {
      var path = FieldPath.of("spec", "replicatedJobs").index(i).field("template", "spec");
      var was = Trees.at(before.get(i), "template", "spec");
      Trees.object(jobs.get(i), "template", "spec")
          .ifPresent(spec -> again(spec, was, path, filled));
    }
  }

  private static void again(ObjectNode spec, JsonNode was, FieldPath path, List<String> filled) {
    var fresh = spec.deepCopy();
    job(fresh);
    if (Trees.at(was, "completionMode").equals(fresh.path("completionMode"))) {
      spec.set("completionMode", fresh.path("completionMode"));
    }
    var policy = Trees.at(fresh, "template", "spec", "restartPolicy");
    if (policy.equals(Trees.at(was, "template", "spec", "restartPolicy"))) {
      Trees.child(Trees.child(spec, "template"), "spec").set("restartPolicy", policy);
    }
    for (String field : IN_PLACE) {
      if (!Trees.has(spec, field) && filled.contains(path.field(field).toString())) {
        spec.set(field, was.path(field));
      }
    }
  }

  /** Fills in what in-place restarts need and names it (JS-42b). */
  static List<String> ofInPlaceRestart(ObjectNode jobSet) {
    var filled = new ArrayList<String>();
    var jobs = Trees.objects(jobSet, "spec", "replicatedJobs");
    for (int i = 0; i < jobs.size(); i++) {
      FieldPath path = FieldPath.of("spec", "replicatedJobs").index(i).field("template", "spec");
      Trees.object(jobs.get(i), "template", "spec")
          .ifPresent(spec -> inPlaceJob(spec, path, filled));
    }
    if (!filled.isEmpty()) {
      Trees.child(Trees.child(jobSet, "metadata"), "annotations")
          .put(JobSetKeys.IN_PLACE_RESTART_DEFAULTED, String.join(",", filled));
    }
    return filled;
  }

  private static void inPlaceJob(ObjectNode spec, FieldPath path, List<String> filled) {
    if (!Trees.has(spec, "backoffLimit")) {
      spec.put("backoffLimit", Integer.MAX_VALUE);
      filled.add(path.field("backoffLimit").toString());
    }
    if (!Trees.has(spec, "podReplacementPolicy")) {
      spec.put("podReplacementPolicy", "Failed");
      filled.add(path.field("podReplacementPolicy").toString());
    }
    var completions = Trees.number(spec, "completions");
    var parallelism = Trees.number(spec, "parallelism");
    if (completions.isEmpty()) {
      Trees.putNumber(spec, "completions", parallelism.orElse(1));
      filled.add(path.field("completions").toString());
    }
    if (parallelism.isEmpty()) {
      Trees.putNumber(spec, "parallelism", completions.orElse(1));
      filled.add(path.field("parallelism").toString());
    }
  }
}
