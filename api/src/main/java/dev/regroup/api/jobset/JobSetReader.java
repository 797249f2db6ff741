package dev.regroup.api.jobset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.jobset.JobSetSpec;
import dev.regroup.rules.jobset.JobSetStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a JobSet: what it asks for, as its plan needs it, and what it orders its pods. Its status
 * is read by {@link JobSetStatusReader}.
 */
public final class JobSetReader {

  private static final Set<String> ENDS =
      Set.of(JobSetStatus.Type.COMPLETED.wireName(), JobSetStatus.Type.FAILED.wireName());

  private JobSetReader() {}

  public static JobSetSpec spec(JsonNode jobSet) {
    var spec = jobSet.path("spec");
    return new JobSetSpec(
        Trees.text(jobSet, "metadata", "namespace"),
        Trees.text(jobSet, "metadata", "name"),
        Trees.text(jobSet, "metadata", "uid"),
        jobs(spec),
        network(jobSet),
        new JobSetSpec.SuccessPolicy(
            Trees.text(spec, "successPolicy", "operator").equals("Any")
                ? JobSetSpec.Operator.ANY
                : JobSetSpec.Operator.ALL,
            Trees.texts(spec, "successPolicy", "targetReplicatedJobs")),
        Trees.object(spec, "failurePolicy").map(JobSetReader::failurePolicy),
        Trees.text(spec, "startupPolicy", "startupPolicyOrder").equals("InOrder")
            ? JobSetSpec.StartOrder.IN_ORDER
            : JobSetSpec.StartOrder.ANY_ORDER,
        Trees.isTrue(spec, "suspend"),
        Trees.object(spec, "coordinator").map(JobSetReader::coordinator),
        Trees.integer(spec, "ttlSecondsAfterFinished"),
        Trees.objects(spec, "volumeClaimPolicies").stream()
            .flatMap(policy -> Trees.objects(policy, "templates").stream())
            .map(template -> Trees.text(template, "metadata", "name"))
            .toList());
  }

  /**
   * What the JobSet orders its pods, by either pair of names (JS-37, JS-151, JS-153). Once it has
   * ended or is being deleted nothing it still says is an order (JS-144).
   */
  public static GroupOrders orders(JsonNode jobSet) {
    boolean disabled =
        Trees.has(jobSet, "metadata", "annotations", JobSetKeys.DISABLE_IN_PLACE_RESTART);
    if (disabled || !restartsInPlace(jobSet)) {
      return GroupOrders.BYPASS;
    }
    return isOver(jobSet)
        ? GroupOrders.UNKNOWN
        : GroupOrders.of(JobSetStatusReader.barrier(jobSet.path("status")));
  }

  private static boolean isOver(JsonNode jobSet) {
    return Trees.has(jobSet, "metadata", "deletionTimestamp")
        || Trees.objects(jobSet, "status", "conditions").stream()
            .map(JobSetStatusReader::condition)
            .anyMatch(one -> one.on() && ENDS.contains(one.type()));
  }

  public static boolean restartsInPlace(JsonNode jobSet) {
    return strategy(Trees.at(jobSet, "spec", "failurePolicy"))
        == JobSetSpec.Strategy.IN_PLACE_RESTART;
  }

  /** Whether another controller manages it (JS-23, JS-73). */
  public static boolean managedElsewhere(JsonNode jobSet) {
    var manager = Trees.text(jobSet, "spec", "managedBy");
    return !manager.isEmpty()
        && !manager.equals(JobSetKeys.RESERVED_MANAGER)
        && !manager.equals(JobSetKeys.REGROUP_MANAGER);
  }

  private static List<JobSetSpec.ReplicatedJob> jobs(JsonNode spec) {
    var jobs = new ArrayList<JobSetSpec.ReplicatedJob>();
    for (var job : Trees.objects(spec, "replicatedJobs")) {
      var template = Trees.at(job, "template", "spec");
      var group = Trees.text(job, "groupName");
      jobs.add(
          new JobSetSpec.ReplicatedJob(
              Trees.text(job, "name"),
              group.isEmpty() ? "default" : group,
              Trees.integer(job, "replicas").orElse(1),
              Trees.integer(template, "parallelism").orElse(1),
              Trees.integer(template, "completions"),
              !Trees.text(template, "completionMode").equals("NonIndexed"),
              Trees.objects(job, "dependsOn").stream().map(JobSetReader::dependency).toList(),
              participates(job)));
    }
    return jobs;
  }

  private static JobSetSpec.Dependency dependency(ObjectNode dependency) {
    return new JobSetSpec.Dependency(
        Trees.text(dependency, "name"),
        Trees.text(dependency, "status").equals("Complete")
            ? JobSetSpec.Until.COMPLETE
            : JobSetSpec.Until.READY);
  }

  /** Everybody takes part who is not marked {@code none} (JS-132b, JS-133 a). */
  private static boolean participates(JsonNode job) {
    var annotations = Trees.at(job, "template", "metadata", "annotations");
    return !Trees.text(annotations, JobSetKeys.INJECT_AGENT).equals("none");
  }

  /** No Service without the object: it was stored before defaulting existed (JS-98). */
  private static Optional<JobSetSpec.Network> network(JsonNode jobSet) {
    return Trees.object(jobSet, "spec", "network")
        .filter(network -> isNotFalse(network, "enableDNSHostnames"))
        .map(network -> {
          var subdomain = Trees.text(network, "subdomain");
          return new JobSetSpec.Network(
              subdomain.isEmpty() ? Trees.text(jobSet, "metadata", "name") : subdomain,
              isNotFalse(network, "publishNotReadyAddresses"));
        });
  }

  private static boolean isNotFalse(ObjectNode owner, String field) {
    return !owner.path(field).isBoolean() || Trees.isTrue(owner, field);
  }

  private static JobSetSpec.Coordinator coordinator(ObjectNode coordinator) {
    return new JobSetSpec.Coordinator(
        Trees.text(coordinator, "replicatedJob"),
        Trees.integer(coordinator, "jobIndex").orElse(0),
        Trees.integer(coordinator, "podIndex").orElse(0));
  }

  private static JobSetSpec.FailurePolicy failurePolicy(ObjectNode policy) {
    var rules = new ArrayList<JobSetSpec.FailureRule>();
    for (var rule : Trees.objects(policy, "rules")) {
      action(rule)
          .ifPresent(action ->
              rules.add(
                  new JobSetSpec.FailureRule(
                      Trees.text(rule, "name"),
                      action,
                      Trees.texts(rule, "onJobFailureReasons"),
                      Trees.texts(rule, "onJobFailureMessagePatterns"),
                      Trees.texts(rule, "targetReplicatedJobs"))));
    }
    return new JobSetSpec.FailurePolicy(
        Trees.integer(policy, "maxRestarts").orElse(0), strategy(policy), rules);
  }

  private static JobSetSpec.Strategy strategy(JsonNode failurePolicy) {
    return switch (Trees.text(failurePolicy, "restartStrategy")) {
      case "BlockingRecreate" -> JobSetSpec.Strategy.BLOCKING_RECREATE;
      case "InPlaceRestart" -> JobSetSpec.Strategy.IN_PLACE_RESTART;
      default -> JobSetSpec.Strategy.RECREATE;
    };
  }

  /** A rule with an action of a later version has no effect. */
  private static Optional<JobSetSpec.FailureAction> action(ObjectNode rule) {
    var name = Trees.text(rule, "action");
    for (var action : JobSetSpec.FailureAction.values()) {
      if (action.wireName().equals(name)) {
        return Optional.of(action);
      }
    }
    return Optional.empty();
  }
}
