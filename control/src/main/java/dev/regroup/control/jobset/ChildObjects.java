package dev.regroup.control.jobset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.jobset.AgentInjection;
import dev.regroup.api.admission.jobset.AgentSettings;
import dev.regroup.api.jobset.JobSet;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Owner;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.jobset.ChildLabels;
import dev.regroup.rules.jobset.JobSetGates;
import dev.regroup.rules.jobset.JobSetPlan;
import dev.regroup.rules.jobset.JobSetSpec;
import java.util.List;
import java.util.Map;

/** The objects a JobSet makes: Jobs, a headless Service, claims (jobset.md sections 2 and 6). */
final class ChildObjects {

  private ChildObjects() {}

  static Owner owner(JobSetView jobSet) {
    return new Owner(JobSet.API_VERSION, JobSet.KIND, jobSet.spec().name(), jobSet.spec().uid());
  }

  /** JS-79: the template with everything a user wrote, plus what makes it a child. */
  static ObjectNode job(
      JobSetView jobSet,
      JobSetGates gates,
      AgentSettings agents,
      JobSetPlan.Effect.CreateJob wanted) {
    var entry =
        (ObjectNode) jobSet.tree().path("spec").path("replicatedJobs").get(wanted.position());
    var template = entry.path("template");
    var job = Wire.object().put("apiVersion", "batch/v1").put("kind", "Job");
    var metadata = job.putObject("metadata");
    metadata.put("name", wanted.name()).put("namespace", jobSet.spec().namespace());
    ObjectNode spec =
        template.path("spec").isObject() ? template.path("spec").deepCopy() : Wire.object();
    job.set("spec", spec);
    var podTemplate = spec.withObjectProperty("template");
    var podMetadata = podTemplate.withObjectProperty("metadata");
    copy(metadata, "labels", template.path("metadata").path("labels"));
    copy(metadata, "annotations", template.path("metadata").path("annotations"));
    var keys =
        ChildLabels.of(jobSet.spec(), jobSet.status(), gates, wanted.position(), wanted.jobIndex());
    for (var target : List.of(metadata, podMetadata)) {
      keys.forEach(target.withObjectProperty("labels")::put);
      keys.forEach(target.withObjectProperty("annotations")::put);
    }
    metadata.putArray("ownerReferences").add(owner(jobSet).reference());
    spec.put("suspend", jobSet.spec().suspend());
    inherited(jobSet, template, podMetadata, JobSetKeys.RESTART_GRACE);
    inherited(jobSet, template, podMetadata, JobSetKeys.PROGRESS_PATTERN);
    placement(jobSet, template, metadata, podTemplate, wanted.name());
    var podSpec = podTemplate.withObjectProperty("spec");
    jobSet.spec().network().ifPresent(network -> podSpec.put("subdomain", network.subdomain()));
    claims(jobSet, podSpec);
    if (gates.inPlaceRestart()) {
      AgentInjection.inject(job, jobSet.tree(), entry, agents);
    }
    return job;
  }

  private static void copy(ObjectNode metadata, String field, JsonNode from) {
    if (from.isObject()) {
      metadata.set(field, from.deepCopy());
    }
  }

  /** JS-169: what the pod template says wins over the Job template, that over the JobSet. */
  private static void inherited(
      JobSetView jobSet, JsonNode template, ObjectNode podMetadata, String key) {
    Trees.textIfPresent(podMetadata, "annotations", key)
        .or(() -> Trees.textIfPresent(template, "metadata", "annotations", key))
        .or(() -> Trees.textIfPresent(jobSet.tree(), "metadata", "annotations", key))
        .ifPresent(nearest -> podMetadata.withObjectProperty("annotations").put(key, nearest));
  }

  /** JS-35, JS-90: the template's annotations win over the JobSet's. */
  private static void placement(
      JobSetView jobSet,
      JsonNode template,
      ObjectNode metadata,
      ObjectNode podTemplate,
      String name) {
    var podMetadata = podTemplate.withObjectProperty("metadata");
    var sources =
        List.of(
            jobSet.tree().path("metadata").path("annotations"),
            template.path("metadata").path("annotations"));
    for (var source : sources) {
      var topology = Trees.textIfPresent(source, JobSetKeys.EXCLUSIVE_TOPOLOGY);
      if (topology.isEmpty()) {
        continue;
      }
      both(metadata, podMetadata, JobSetKeys.EXCLUSIVE_TOPOLOGY, topology.get());
      Trees.textIfPresent(source, JobSetKeys.NODE_SELECTOR)
          .ifPresent(selector -> both(metadata, podMetadata, JobSetKeys.NODE_SELECTOR, selector));
    }
    var annotations = metadata.path("annotations");
    if (annotations.has(JobSetKeys.EXCLUSIVE_TOPOLOGY)
        && annotations.has(JobSetKeys.NODE_SELECTOR)) {
      var podSpec = podTemplate.withObjectProperty("spec");
      podSpec
          .withObjectProperty("nodeSelector")
          .put(JobSetKeys.NAMESPACED_JOB, jobSet.spec().namespace() + "_" + name);
      podSpec
          .withArrayProperty("tolerations")
          .addObject()
          .put("key", JobSetKeys.NO_SCHEDULE)
          .put("operator", "Exists")
          .put("effect", "NoSchedule");
    }
  }

  private static void both(ObjectNode one, ObjectNode other, String key, String value) {
    one.withObjectProperty("annotations").put(key, value);
    other.withObjectProperty("annotations").put(key, value);
  }

  /** JS-103: a volume for each claim that some container mounts. */
  private static void claims(JobSetView jobSet, ObjectNode podSpec) {
    for (var claim : jobSet.spec().claims()) {
      if (mounts(podSpec, claim)) {
        podSpec
            .withArrayProperty("volumes")
            .addObject()
            .put("name", claim)
            .putObject("persistentVolumeClaim")
            .put("claimName", claimName(jobSet.spec(), claim));
      }
    }
  }

  private static boolean mounts(ObjectNode podSpec, String volume) {
    for (var list : List.of("containers", "initContainers")) {
      for (var container : podSpec.path(list)) {
        for (var mount : container.path("volumeMounts")) {
          if (Trees.text(mount, "name").equals(volume)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** JS-32. */
  static String claimName(JobSetSpec spec, String template) {
    return template + "-" + spec.name();
  }

  /** JS-98. */
  static ObjectNode service(JobSetView jobSet, JobSetSpec.Network network) {
    var service = Wire.object().put("apiVersion", "v1").put("kind", "Service");
    var metadata = service.putObject("metadata");
    metadata.put("name", network.subdomain()).put("namespace", jobSet.spec().namespace());
    metadata.putArray("ownerReferences").add(owner(jobSet).reference());
    var spec = service.putObject("spec");
    spec.put("clusterIP", "None");
    spec.putObject("selector").put(JobSetKeys.JOBSET_NAME, jobSet.spec().name());
    spec.put("publishNotReadyAddresses", network.publishNotReadyAddresses());
    return service;
  }

  /** JS-101; a claim that is retained has no owner (JS-33). */
  static ObjectNode claim(JobSetView jobSet, String template) {
    for (var policy : jobSet.tree().path("spec").path("volumeClaimPolicies")) {
      for (var one : policy.path("templates")) {
        if (Trees.text(one, "metadata", "name").equals(template)) {
          return claim(jobSet, one, Trees.text(policy, "retentionPolicy", "whenDeleted"));
        }
      }
    }
    throw new IllegalArgumentException("no claim template named " + template);
  }

  private static ObjectNode claim(JobSetView jobSet, JsonNode template, String whenDeleted) {
    var claim = Wire.object().put("apiVersion", "v1").put("kind", "PersistentVolumeClaim");
    var metadata = claim.putObject("metadata");
    metadata.put("name", claimName(jobSet.spec(), Trees.text(template, "metadata", "name")));
    metadata.put("namespace", jobSet.spec().namespace());
    copy(metadata, "labels", template.path("metadata").path("labels"));
    copy(metadata, "annotations", template.path("metadata").path("annotations"));
    metadata.withObjectProperty("labels").put(JobSetKeys.JOBSET_NAME, jobSet.spec().name());
    if (!whenDeleted.equals("Retain")) {
      metadata.putArray("ownerReferences").add(owner(jobSet).reference());
    }
    copy(claim, "spec", template.path("spec"));
    return claim;
  }

  /** JS-93: what a suspended template may have got meanwhile is merged into the Job. */
  static void refresh(ObjectNode job, JsonNode template) {
    var podTemplate = job.withObjectProperty("spec").withObjectProperty("template");
    var wanted = template.path("spec").path("template");
    for (var field : List.of("labels", "annotations")) {
      merge(podTemplate.withObjectProperty("metadata"), field, wanted.path("metadata"));
    }
    var podSpec = podTemplate.withObjectProperty("spec");
    merge(podSpec, "nodeSelector", wanted.path("spec"));
    for (var field : List.of("tolerations", "schedulingGates")) {
      for (var item : wanted.path("spec").path(field)) {
        var list = podSpec.withArrayProperty(field);
        boolean known = false;
        for (var old : list) {
          known |= old.equals(item);
        }
        if (!known) {
          list.add(item.deepCopy());
        }
      }
    }
    job.withObjectProperty("spec").put("suspend", false);
  }

  private static void merge(ObjectNode into, String field, JsonNode from) {
    for (Map.Entry<String, JsonNode> entry : from.path(field).properties()) {
      into.withObjectProperty(field).set(entry.getKey(), entry.getValue());
    }
  }
}
