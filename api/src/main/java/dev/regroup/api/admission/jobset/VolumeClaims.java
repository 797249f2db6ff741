package dev.regroup.api.admission.jobset;

import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.schema.Quantity;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/** Checks of {@code volumeClaimPolicies} (JS-63). */
final class VolumeClaims {

  private static final FieldPath SPEC = FieldPath.of("spec");

  private final Lookup lookup;
  private final ObjectNode jobSet;
  private final List<ObjectNode> jobs;
  private final List<FieldError> errors = new ArrayList<>();

  VolumeClaims(Lookup lookup, ObjectNode jobSet, List<ObjectNode> jobs) {
    this.lookup = lookup;
    this.jobSet = jobSet;
    this.jobs = jobs;
  }

  List<FieldError> check() {
    var names = new HashSet<String>();
    var policies = Trees.objects(jobSet, "spec", "volumeClaimPolicies");
    for (int p = 0; p < policies.size(); p++) {
      FieldPath policyPath = SPEC.field("volumeClaimPolicies").index(p);
      var templates = Trees.objects(policies.get(p), "templates");
      for (int t = 0; t < templates.size(); t++) {
        // The path really has the singular word.
        FieldPath path = policyPath.field("template").index(t);
        String name = Trees.text(templates.get(t), "metadata", "name");
        if (!names.add(name)) {
          errors.add(
              invalid(
                  path.field("name"),
                  name,
                  "names must be unique for VolumeClaimPolicies template"));
          continue;
        }
        name(name, path);
        conflicts(name);
        mounts(name);
        existing(policies.get(p), templates.get(t), name, policyPath, path);
      }
    }
    return errors;
  }

  private String claimName(String template) {
    return template + "-" + Trees.text(jobSet, "metadata", "name");
  }

  private void name(String name, FieldPath path) {
    NameRules.subdomain(name)
        .forEach(problem -> errors.add(invalid(path.field("name"), name, problem)));
    if (claimName(name).length() > 63) {
      errors.add(
          invalid(path.field("name"), name, "VolumeClaimPolicies template name is too long"));
    }
  }

  private void conflicts(String name) {
    for (int i = 0; i < jobs.size(); i++) {
      var volumes = Trees.objects(jobs.get(i), "template", "spec", "template", "spec", "volumes");
      for (int v = 0; v < volumes.size(); v++) {
        if (Trees.text(volumes.get(v), "name").equals(name)) {
          errors.add(
              invalid(
                  SPEC.field("replicatedJobs")
                      .index(i)
                      .field("template", "spec", "template", "spec", "volumes")
                      .index(v)
                      .field("name"),
                  name,
                  "volume name conflicts with VolumeClaimPolicy template name: " + name));
        }
      }
    }
  }

  private void mounts(String name) {
    for (ObjectNode job : jobs) {
      for (String list : List.of("containers", "initContainers")) {
        for (ObjectNode container :
            Trees.objects(job, "template", "spec", "template", "spec", list)) {
          boolean mounted =
              Trees.objects(container, "volumeMounts").stream()
                  .anyMatch(mount -> Trees.text(mount, "name").equals(name));
          if (mounted) {
            return;
          }
        }
      }
    }
    errors.add(
        invalid(
            SPEC.field("replicatedJobs"),
            FieldError.OMITTED,
            "no container mounts the VolumeClaimPolicies template " + name));
  }

  private void existing(
      ObjectNode policy, ObjectNode template, String name, FieldPath policyPath, FieldPath path) {
    String namespace = Trees.text(jobSet, "metadata", "namespace");
    var claim = lookup.find("v1", "PersistentVolumeClaim", namespace, claimName(name));
    if (claim.isEmpty()) {
      return;
    }
    if (!agrees(template.path("spec"), claim.get().path("spec"))) {
      errors.add(
          invalid(
              path.field("spec"),
              template.path("spec"),
              "a PersistentVolumeClaim " + claimName(name) + " with another spec exists"));
    }
    String retention = Trees.text(policy, "retentionPolicy", "whenDeleted");
    if (!retention.equals("Retain")) {
      errors.add(
          invalid(
              policyPath.field("retentionPolicy", "whenDeleted"),
              retention,
              "must be Retain because PersistentVolumeClaim " + claimName(name) + " exists"));
    }
  }

  /** Only what the template sets is compared: the cluster may have filled in more (JS-63 [X]). */
  private static boolean agrees(JsonNode wanted, JsonNode found) {
    if (wanted.isObject()) {
      for (Map.Entry<String, JsonNode> entry : wanted.properties()) {
        if (!agrees(entry.getValue(), found.path(entry.getKey()))) {
          return false;
        }
      }
      return true;
    }
    var amount = Quantity.of(wanted.asText());
    if (amount.isPresent() && found.isValueNode()) {
      return Quantity.of(found.asText())
          .map(other -> other.amount().compareTo(amount.get().amount()) == 0)
          .orElse(false);
    }
    return wanted.equals(found);
  }
}
