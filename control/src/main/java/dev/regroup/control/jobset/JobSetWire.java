package dev.regroup.control.jobset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Read;
import dev.regroup.rules.group.GroupRestartRequest;
import dev.regroup.rules.jobset.JobSetSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A JobSet between its wire form and the types of its plan. */
final class JobSetWire {

  private JobSetWire() {}

  static JobSetView read(ObjectNode jobSet) {
    var manager = Read.text(jobSet, "spec", "managedBy");
    boolean ours =
        manager.isEmpty()
            || manager.equals(JobSetKeys.RESERVED_MANAGER)
            || manager.equals(JobSetKeys.REGROUP_MANAGER);
    return new JobSetView(
        spec(jobSet),
        StatusWire.read(jobSet.path("status")),
        request(jobSet),
        !ours,
        jobSet.path("metadata").hasNonNull("deletionTimestamp"),
        jobSet.deepCopy());
  }

  private static JobSetSpec spec(ObjectNode jobSet) {
    var spec = jobSet.path("spec");
    var name = Read.text(jobSet, "metadata", "name");
    var claims = new ArrayList<String>();
    for (var policy : spec.path("volumeClaimPolicies")) {
      for (var template : policy.path("templates")) {
        claims.add(Read.text(template, "metadata", "name"));
      }
    }
    var coordinator = spec.path("coordinator");
    return new JobSetSpec(
        Read.text(jobSet, "metadata", "namespace"),
        name,
        Read.text(jobSet, "metadata", "uid"),
        jobs(jobSet),
        network(spec.path("network"), name),
        new JobSetSpec.SuccessPolicy(
            Read.text(spec, "successPolicy", "operator").equals("Any")
                ? JobSetSpec.Operator.ANY
                : JobSetSpec.Operator.ALL,
            Read.list(spec, "successPolicy", "targetReplicatedJobs")),
        failurePolicy(spec.path("failurePolicy")),
        Read.text(spec, "startupPolicy", "startupPolicyOrder").equals("InOrder")
            ? JobSetSpec.StartOrder.IN_ORDER
            : JobSetSpec.StartOrder.ANY_ORDER,
        spec.path("suspend").asBoolean(false),
        coordinator.isObject()
            ? Optional.of(
                new JobSetSpec.Coordinator(
                    Read.text(coordinator, "replicatedJob"),
                    Read.number(0, coordinator, "jobIndex"),
                    Read.number(0, coordinator, "podIndex")))
            : Optional.empty(),
        Read.number(spec, "ttlSecondsAfterFinished"),
        claims);
  }

  private static List<JobSetSpec.ReplicatedJob> jobs(ObjectNode jobSet) {
    var jobs = new ArrayList<JobSetSpec.ReplicatedJob>();
    for (var job : jobSet.path("spec").path("replicatedJobs")) {
      var template = job.path("template").path("spec");
      var group = Read.text(job, "groupName");
      var completions = Read.number(template, "completions");
      var dependencies = new ArrayList<JobSetSpec.Dependency>();
      for (var dependency : job.path("dependsOn")) {
        dependencies.add(
            new JobSetSpec.Dependency(
                Read.text(dependency, "name"),
                Read.text(dependency, "status").equals("Complete")
                    ? JobSetSpec.Until.COMPLETE
                    : JobSetSpec.Until.READY));
      }
      jobs.add(
          new JobSetSpec.ReplicatedJob(
              Read.text(job, "name"),
              group.isEmpty() ? "default" : group,
              Read.number(1, job, "replicas"),
              Read.number(1, template, "parallelism"),
              completions,
              !Read.text(template, "completionMode").equals("NonIndexed"),
              dependencies,
              participates(job)));
    }
    return jobs;
  }

  /** Everybody takes part who is not marked {@code none} (JS-132b, JS-133 a). */
  private static boolean participates(JsonNode job) {
    var annotations = Read.at(job, "template", "metadata", "annotations");
    return !Read.text(annotations, JobSetKeys.INJECT_AGENT).equals("none");
  }

  /** No Service without the object: it was stored before defaulting existed (JS-98). */
  private static Optional<JobSetSpec.Network> network(JsonNode network, String name) {
    if (!network.isObject() || !network.path("enableDNSHostnames").asBoolean(true)) {
      return Optional.empty();
    }
    var subdomain = Read.text(network, "subdomain");
    return Optional.of(
        new JobSetSpec.Network(
            subdomain.isEmpty() ? name : subdomain,
            network.path("publishNotReadyAddresses").asBoolean(true)));
  }

  private static Optional<JobSetSpec.FailurePolicy> failurePolicy(JsonNode policy) {
    if (!policy.isObject()) {
      return Optional.empty();
    }
    var rules = new ArrayList<JobSetSpec.FailureRule>();
    for (var rule : policy.path("rules")) {
      var action = Read.text(rule, "action");
      for (var one : JobSetSpec.FailureAction.values()) {
        if (one.wireName().equals(action)) {
          rules.add(
              new JobSetSpec.FailureRule(
                  Read.text(rule, "name"),
                  one,
                  Read.list(rule, "onJobFailureReasons"),
                  Read.list(rule, "onJobFailureMessagePatterns"),
                  Read.list(rule, "targetReplicatedJobs")));
        }
      }
    }
    var strategy =
        switch (Read.text(policy, "restartStrategy")) {
          case "BlockingRecreate" -> JobSetSpec.Strategy.BLOCKING_RECREATE;
          case "InPlaceRestart" -> JobSetSpec.Strategy.IN_PLACE_RESTART;
          default -> JobSetSpec.Strategy.RECREATE;
        };
    return Optional.of(
        new JobSetSpec.FailurePolicy(Read.number(0, policy, "maxRestarts"), strategy, rules));
  }

  /** A plain requestID with annotations beside it, or one JSON object (node.md RAC-08). */
  private static Optional<GroupRestartRequest> request(ObjectNode jobSet) {
    var annotations = jobSet.path("metadata").path("annotations");
    var text = Read.text(annotations, JobSetKeys.RESTART_REQUEST).strip();
    if (text.isEmpty()) {
      return Optional.empty();
    }
    boolean uncounted = Read.text(annotations, JobSetKeys.RESTART_UNCOUNTED).equals("true");
    if (!text.startsWith("{")) {
      var reason = Read.text(annotations, JobSetKeys.RESTART_REASON);
      return Optional.of(new GroupRestartRequest(text, reason, !uncounted));
    }
    try {
      var json = Wire.tree(text);
      var id = Read.text(json, "requestID");
      boolean free = uncounted || json.path("uncounted").asBoolean(false);
      return id.isEmpty()
          ? Optional.empty()
          : Optional.of(new GroupRestartRequest(id, Read.text(json, "reason"), !free));
    } catch (java.io.UncheckedIOException notJson) {
      return Optional.of(new GroupRestartRequest(text, "", !uncounted));
    }
  }
}
