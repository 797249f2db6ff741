package dev.regroup.api.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.job.FailurePolicy;
import dev.regroup.rules.job.IndexSet;
import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.job.JobStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads a Job as its plan needs it; {@link JobStatusWriter} is the way back. */
public final class JobReader {

  private JobReader() {}

  /** What the Job asks for; empty when its completion mode is of a later version (JB-42). */
  public static Optional<JobSpec> spec(JsonNode job) {
    var spec = job.path("spec");
    var completion = completion(Trees.text(spec, "completionMode"));
    if (completion.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new JobSpec(
            Trees.text(job, "metadata", "namespace"),
            Trees.text(job, "metadata", "name"),
            Trees.integer(spec, "parallelism").orElse(1),
            Trees.integer(spec, "completions"),
            completion.get(),
            Trees.integer(spec, "backoffLimit").orElse(6),
            Trees.integer(spec, "backoffLimitPerIndex"),
            Trees.integer(spec, "maxFailedIndexes"),
            Trees.object(spec, "podFailurePolicy").map(JobReader::failurePolicy),
            successRules(spec),
            Trees.text(spec, "podReplacementPolicy").equals("Failed")
                ? JobSpec.Replace.FAILED
                : JobSpec.Replace.TERMINATING_OR_FAILED,
            Trees.number(spec, "activeDeadlineSeconds"),
            wish(job),
            Trees.text(spec, "template", "spec", "restartPolicy").equals("OnFailure")
                ? JobSpec.PodRestart.ON_FAILURE
                : JobSpec.PodRestart.NEVER,
            kin(job)));
  }

  public static JobStatus status(JsonNode job) {
    var status = job.path("status");
    var conditions = new ArrayList<JobStatus.Condition>();
    for (var one : Trees.objects(status, "conditions")) {
      conditions.add(
          new JobStatus.Condition(
              Trees.text(one, "type"),
              Trees.text(one, "status").equals("True"),
              Trees.text(one, "reason"),
              Trees.text(one, "message"),
              Trees.time(one, "lastProbeTime"),
              Trees.time(one, "lastTransitionTime")));
    }
    return new JobStatus(
        Trees.integer(status, "active").orElse(0),
        Trees.integer(status, "ready").orElse(0),
        Trees.integer(status, "terminating").orElse(0),
        Trees.integer(status, "succeeded").orElse(0),
        Trees.integer(status, "failed").orElse(0),
        indexes(Trees.text(status, "completedIndexes")),
        Trees.textIfPresent(status, "failedIndexes").map(JobReader::indexes),
        Trees.time(status, "startTime"),
        Trees.time(status, "completionTime"),
        conditions,
        Trees.texts(status, "uncountedTerminatedPods", "succeeded"),
        Trees.texts(status, "uncountedTerminatedPods", "failed"));
  }

  /** As they stand there: a Job that has become smaller writes them anew without those it lost. */
  private static IndexSet indexes(String text) {
    return IndexSet.parse(text, Integer.MAX_VALUE);
  }

  /** Another controller that manages it (JB-92). */
  public static Optional<String> foreignManager(JsonNode job) {
    var manager = Trees.text(job, "spec", "managedBy");
    return manager.isEmpty() || manager.equals(JobKeys.RESERVED_MANAGER)
        ? Optional.empty()
        : Optional.of(manager);
  }

  /** The labels of its pods. */
  public static Map<String, String> selector(JsonNode job) {
    return Trees.map(job, "spec", "selector", "matchLabels");
  }

  public static OptionalInt ttlSecondsAfterFinished(JsonNode job) {
    return Trees.integer(job, "spec", "ttlSecondsAfterFinished");
  }

  private static Optional<JobSpec.Completion> completion(String mode) {
    return switch (mode) {
      case "Indexed" -> Optional.of(JobSpec.Completion.INDEXED);
      case "", "NonIndexed" -> Optional.of(JobSpec.Completion.NON_INDEXED);
      default -> Optional.empty();
    };
  }

  private static JobSpec.Wish wish(JsonNode job) {
    if (Trees.has(job, "metadata", "deletionTimestamp")) {
      return JobSpec.Wish.DELETE;
    }
    return Trees.isTrue(job, "spec", "suspend") ? JobSpec.Wish.SUSPEND : JobSpec.Wish.RUN;
  }

  /** The mark is on the pod template of every Job of an in-place JobSet (JS-132b). */
  private static JobSpec.Kin kin(JsonNode job) {
    var annotations = Trees.at(job, "spec", "template", "metadata", "annotations");
    var agent = Trees.text(annotations, JobSetKeys.INJECT_AGENT);
    boolean inPlace = !agent.isEmpty() && !agent.equals("none") && !agent.equals("false");
    return inPlace ? JobSpec.Kin.IN_PLACE_JOBSET : JobSpec.Kin.ALONE;
  }

  private static FailurePolicy failurePolicy(ObjectNode policy) {
    var rules = new ArrayList<FailurePolicy.Rule>();
    for (var rule : Trees.objects(policy, "rules")) {
      var conditions = new ArrayList<JobPod.Condition>();
      for (var pattern : Trees.objects(rule, "onPodConditions")) {
        var status = Trees.text(pattern, "status");
        conditions.add(
            new JobPod.Condition(Trees.text(pattern, "type"), status.isEmpty() ? "True" : status));
      }
      rules.add(
          new FailurePolicy.Rule(
              action(Trees.text(rule, "action")),
              Trees.textIfPresent(rule, "onExitCodes", "containerName").orElse(null),
              Trees.object(rule, "onExitCodes").map(JobReader::operator).orElse(null),
              Trees.integers(rule, "onExitCodes", "values"),
              conditions));
    }
    return new FailurePolicy(rules);
  }

  private static FailurePolicy.Operator operator(ObjectNode codes) {
    return Trees.text(codes, "operator").equals("NotIn")
        ? FailurePolicy.Operator.NOT_IN
        : FailurePolicy.Operator.IN;
  }

  private static FailurePolicy.Action action(String text) {
    return switch (text) {
      case "FailJob" -> FailurePolicy.Action.FAIL_JOB;
      case "FailIndex" -> FailurePolicy.Action.FAIL_INDEX;
      case "Ignore" -> FailurePolicy.Action.IGNORE;
      case "Count" -> FailurePolicy.Action.COUNT;
      default -> FailurePolicy.Action.UNKNOWN; // JB-72
    };
  }

  private static List<JobSpec.SuccessRule> successRules(JsonNode spec) {
    int limit = indexes(spec);
    var rules = new ArrayList<JobSpec.SuccessRule>();
    for (var rule : Trees.objects(spec, "successPolicy", "rules")) {
      rules.add(
          new JobSpec.SuccessRule(
              Trees.textIfPresent(rule, "succeededIndexes")
                  .map(indexes -> IndexSet.parse(indexes, limit)),
              Trees.integer(rule, "succeededCount")));
    }
    return rules;
  }

  /** How many indexes there are; texts may name more than the Job has. */
  private static int indexes(JsonNode spec) {
    return Trees.integer(spec, "completions").orElse(0);
  }
}
