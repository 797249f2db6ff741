package dev.regroup.control.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Owner;
import dev.regroup.api.tree.Read;
import dev.regroup.rules.job.FailurePolicy;
import dev.regroup.rules.job.IndexSet;
import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.job.JobStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A Job between its wire form and the types of its plan. */
public final class JobWire {

  private static final String RESERVED_MANAGER = "kubernetes.io/job-controller";

  private JobWire() {}

  public static JobView read(ObjectNode job) {
    var metadata = job.path("metadata");
    var manager = Read.text(job, "spec", "managedBy");
    boolean deleting = metadata.hasNonNull("deletionTimestamp");
    var spec = spec(job, deleting);
    int limit = spec.map(one -> one.completions().orElse(0)).orElse(0);
    return new JobView(
        Read.text(metadata, "uid"),
        Owner.controller(job),
        Read.texts(metadata, "labels"),
        spec,
        status(job.path("status"), limit),
        Read.texts(job, "spec", "selector", "matchLabels"),
        !manager.isEmpty() && !manager.equals(RESERVED_MANAGER),
        deleting,
        metadata.path("generation").asLong(0),
        Read.number(job, "spec", "ttlSecondsAfterFinished"),
        Read.time(metadata, "creationTimestamp"));
  }

  private static Optional<JobSpec> spec(ObjectNode job, boolean deleting) {
    var spec = job.path("spec");
    var mode = Read.text(spec, "completionMode");
    if (!mode.isEmpty() && !mode.equals("Indexed") && !mode.equals("NonIndexed")) {
      return Optional.empty();
    }
    var deadline = spec.path("activeDeadlineSeconds");
    var completions = Read.number(spec, "completions");
    var policy = spec.path("podFailurePolicy");
    boolean suspend = spec.path("suspend").asBoolean(false);
    return Optional.of(
        new JobSpec(
            Read.text(job, "metadata", "namespace"),
            Read.text(job, "metadata", "name"),
            Read.number(1, spec, "parallelism"),
            completions,
            mode.equals("Indexed") ? JobSpec.Completion.INDEXED : JobSpec.Completion.NON_INDEXED,
            Read.number(6, spec, "backoffLimit"),
            Read.number(spec, "backoffLimitPerIndex"),
            Read.number(spec, "maxFailedIndexes"),
            policy.isObject() ? Optional.of(failurePolicy(policy)) : Optional.empty(),
            successRules(spec.path("successPolicy"), completions.orElse(0)),
            Read.text(spec, "podReplacementPolicy").equals("Failed")
                ? JobSpec.Replace.FAILED
                : JobSpec.Replace.TERMINATING_OR_FAILED,
            deadline.isIntegralNumber() ? OptionalLong.of(deadline.asLong()) : OptionalLong.empty(),
            deleting ? JobSpec.Wish.DELETE : suspend ? JobSpec.Wish.SUSPEND : JobSpec.Wish.RUN,
            Read.text(spec, "template", "spec", "restartPolicy").equals("OnFailure")
                ? JobSpec.PodRestart.ON_FAILURE
                : JobSpec.PodRestart.NEVER,
            kin(job)));
  }

  /** The mark is on the pod template of every Job of an in-place JobSet (JS-132b). */
  private static JobSpec.Kin kin(ObjectNode job) {
    var annotations = Read.at(job, "spec", "template", "metadata", "annotations");
    var agent = Read.text(annotations, JobSetKeys.INJECT_AGENT);
    boolean inPlace = !agent.isEmpty() && !agent.equals("none") && !agent.equals("false");
    return inPlace ? JobSpec.Kin.IN_PLACE_JOBSET : JobSpec.Kin.ALONE;
  }

  private static FailurePolicy failurePolicy(JsonNode policy) {
    var rules = new ArrayList<FailurePolicy.Rule>();
    for (var rule : policy.path("rules")) {
      var codes = rule.path("onExitCodes");
      var conditions = new ArrayList<JobPod.Condition>();
      for (var pattern : rule.path("onPodConditions")) {
        var status = Read.text(pattern, "status");
        conditions.add(
            new JobPod.Condition(Read.text(pattern, "type"), status.isEmpty() ? "True" : status));
      }
      rules.add(
          new FailurePolicy.Rule(
              action(Read.text(rule, "action")),
              Read.optionalText(codes, "containerName"),
              codes.isObject() ? operator(codes) : null,
              Read.numbers(codes, "values"),
              conditions));
    }
    return new FailurePolicy(rules);
  }

  private static FailurePolicy.Operator operator(JsonNode codes) {
    return Read.text(codes, "operator").equals("NotIn")
        ? FailurePolicy.Operator.NOT_IN
        : FailurePolicy.Operator.IN;
  }

  private static FailurePolicy.Action action(String text) {
    return switch (text) {
      case "FailJob" -> FailurePolicy.Action.FAIL_JOB;
      case "FailIndex" -> FailurePolicy.Action.FAIL_INDEX;
      case "Ignore" -> FailurePolicy.Action.IGNORE;
      case "Count" -> FailurePolicy.Action.COUNT;
      default -> FailurePolicy.Action.UNKNOWN;
    };
  }

  private static List<JobSpec.SuccessRule> successRules(JsonNode policy, int limit) {
    var rules = new ArrayList<JobSpec.SuccessRule>();
    for (var rule : policy.path("rules")) {
      var indexes = Read.optionalText(rule, "succeededIndexes");
      rules.add(
          new JobSpec.SuccessRule(
              indexes == null ? Optional.empty() : Optional.of(IndexSet.parse(indexes, limit)),
              Read.number(rule, "succeededCount")));
    }
    return rules;
  }

  private static JobStatus status(JsonNode status, int limit) {
    var conditions = new ArrayList<JobStatus.Condition>();
    for (var one : status.path("conditions")) {
      conditions.add(
          new JobStatus.Condition(
              Read.text(one, "type"),
              Read.text(one, "status").equals("True"),
              Read.text(one, "reason"),
              Read.text(one, "message"),
              Read.time(one, "lastProbeTime"),
              Read.time(one, "lastTransitionTime")));
    }
    var failedIndexes = Read.optionalText(status, "failedIndexes");
    var open = status.path("uncountedTerminatedPods");
    return new JobStatus(
        Read.number(0, status, "active"),
        Read.number(0, status, "ready"),
        Read.number(0, status, "terminating"),
        Read.number(0, status, "succeeded"),
        Read.number(0, status, "failed"),
        IndexSet.parse(Read.text(status, "completedIndexes"), limit),
        failedIndexes == null
            ? Optional.empty()
            : Optional.of(IndexSet.parse(failedIndexes, limit)),
        Read.time(status, "startTime"),
        Read.time(status, "completionTime"),
        conditions,
        Read.list(open, "succeeded"),
        Read.list(open, "failed"));
  }

  /** The status as a merge patch: what is empty is said to be gone. */
  static ObjectNode patch(String resourceVersion, JobSpec spec, JobStatus status) {
    var patch = Wire.object();
    patch.putObject("metadata").put("resourceVersion", resourceVersion);
    var body = patch.putObject("status");
    number(body, "active", status.active());
    number(body, "succeeded", status.succeeded());
    number(body, "failed", status.failed());
    body.put("ready", status.ready()).put("terminating", status.terminating());
    text(body, "completedIndexes", spec.indexed() ? status.completedIndexes().text() : "");
    if (status.failedIndexes().isPresent()) {
      body.put("failedIndexes", status.failedIndexes().get().text());
    }
    time(body, "startTime", status.startTime());
    time(body, "completionTime", status.completionTime());
    var open = body.putObject("uncountedTerminatedPods");
    texts(open, "succeeded", status.uncountedSucceeded());
    texts(open, "failed", status.uncountedFailed());
    if (!status.conditions().isEmpty()) {
      var list = body.putArray("conditions");
      for (var one : status.conditions()) {
        var condition = list.addObject();
        condition.put("type", one.type()).put("status", one.on() ? "True" : "False");
        time(condition, "lastProbeTime", one.probedAt());
        time(condition, "lastTransitionTime", one.changedAt());
        condition.put("reason", one.reason()).put("message", one.message());
      }
    }
    return patch;
  }

  private static void number(ObjectNode body, String name, int value) {
    if (value == 0) {
      body.putNull(name);
    } else {
      body.put(name, value);
    }
  }

  private static void text(ObjectNode body, String name, String value) {
    if (value.isEmpty()) {
      body.putNull(name);
    } else {
      body.put(name, value);
    }
  }

  private static void texts(ObjectNode body, String name, List<String> values) {
    if (values.isEmpty()) {
      body.putNull(name);
    } else {
      values.forEach(body.putArray(name)::add);
    }
  }

  private static void time(ObjectNode body, String name, @Nullable Instant time) {
    if (time == null) {
      body.putNull(name);
    } else {
      body.put(name, time.truncatedTo(ChronoUnit.SECONDS).toString());
    }
  }
}
