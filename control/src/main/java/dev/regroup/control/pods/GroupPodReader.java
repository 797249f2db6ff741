package dev.regroup.control.pods;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.pod.PodSpecs;
import dev.regroup.api.pod.StatusReader;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.Exit;
import dev.regroup.rules.ExitDecision;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.group.AttemptReport;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** Reads what the group of a pod has to know (JS-38, JS-160). */
final class GroupPodReader {

  private static final Set<RuleGate> GATES = EnumSet.allOf(RuleGate.class);

  /** Admission lets no more through; an object that has them is read all the same (VAL-08). */
  private static final int MOST_CODES = 255;

  private GroupPodReader() {}

  static Optional<GroupPod> read(ObjectNode pod) {
    var labels = pod.path("metadata").path("labels");
    var jobSet = Trees.textIfPresent(labels, JobSetKeys.JOBSET_NAME).orElse(null);
    if (jobSet == null) {
      return Optional.empty();
    }
    var annotations = pod.path("metadata").path("annotations");
    var status = pod.path("status");
    var phase = Trees.text(status, "phase");
    var restarting = restartingCondition(status);
    return Optional.of(
        new GroupPod(
            jobSet,
            AttemptReport.read(
                Trees.textIfPresent(annotations, JobSetKeys.IN_PLACE_RESTART_ATTEMPT).orElse(null),
                Trees.textIfPresent(annotations, JobSetKeys.EPOCH).orElse(null)),
            Trees.text(annotations, JobSetKeys.INJECT_AGENT).equals("node"),
            phase.equals("Succeeded"),
            phase.equals("Failed"),
            pod.path("metadata").hasNonNull("deletionTimestamp"),
            isTrue(StatusReader.condition(status, "DisruptionTarget").orElse(null)),
            isTrue(restarting),
            restarting == null ? null : Trees.time(restarting, "lastTransitionTime"),
            restarting == null ? "" : Trees.text(restarting, "message"),
            PodSpecs.deletedAt(pod).orElse(null),
            containers(pod)));
  }

  /** The draft's name is read as equal (node.md CND-11). */
  private static @org.jspecify.annotations.Nullable JsonNode restartingCondition(JsonNode status) {
    return StatusReader.condition(status, "AllContainersRestarting")
        .or(() -> StatusReader.condition(status, "PodRestartInPlace"))
        .orElse(null);
  }

  private static boolean isTrue(@org.jspecify.annotations.Nullable JsonNode condition) {
    return condition != null && Trees.text(condition, "status").equals("True");
  }

  /** A container's part of the spec, read once per event. */
  private record Reading(
      String name,
      boolean worksBelowAgent,
      RestartPolicy podPolicy,
      RestartPolicy own,
      List<ExitRule> rules) {

    static Reading of(JsonNode spec, RestartPolicy podPolicy) {
      return new Reading(
          Trees.text(spec, "name"),
          hasWorkerCommand(spec),
          podPolicy,
          policy(Trees.text(spec, "restartPolicy"), RestartPolicy.INHERIT),
          GroupPodReader.rules(spec));
    }

    /** Main-container and process mode: the agent is the worker, every non-zero exit counts. */
    GroupPod.Meaning meaning(int code) {
      if (code == 0) {
        return GroupPod.Meaning.NOTHING;
      }
      return switch (ExitDecision.of(GATES, podPolicy, own, rules, Exit.of(code))) {
        case ExitDecision.RestartAll _ -> GroupPod.Meaning.RESTARTS_ALL;
        case ExitDecision.Stay _, ExitDecision.TerminatePod _ -> GroupPod.Meaning.FAILS_POD;
        case ExitDecision.Restart _, ExitDecision.Complete _ ->
            worksBelowAgent ? GroupPod.Meaning.RESTARTS_ALL : GroupPod.Meaning.NOTHING;
      };
    }

    /** A worker is a container that can end for good or restart all for some code (JS-160). */
    GroupPod.Role role() {
      if (worksBelowAgent) {
        return GroupPod.Role.WORKER;
      }
      boolean worker = codes().stream().anyMatch(code -> meaning(code) != GroupPod.Meaning.NOTHING);
      return worker ? GroupPod.Role.WORKER : GroupPod.Role.HELPER;
    }

    /** Every code a rule names, and one that none does: all others are judged like that one. */
    private SortedSet<Integer> codes() {
      var codes = new TreeSet<Integer>();
      for (var rule : rules) {
        if (rule.condition() instanceof ExitRule.Condition.ExitCodes(_, var values)) {
          codes.addAll(values);
        }
      }
      codes.removeIf(code -> code < 1 || code > 255);
      int other = 1;
      while (codes.contains(other)) {
        other++;
      }
      if (other <= 255) {
        codes.add(other);
      }
      return codes;
    }
  }

  private static List<GroupPod.Container> containers(ObjectNode pod) {
    var all = new ArrayList<GroupPod.Container>();
    var podPolicy = policy(Trees.text(pod, "spec", "restartPolicy"), RestartPolicy.ALWAYS);
    boolean beforeAgent = true;
    for (var spec : pod.path("spec").path("initContainers")) {
      boolean sidecar = Trees.text(spec, "restartPolicy").equals("Always");
      boolean agent = sidecar && hasRestartAllRule(spec);
      beforeAgent &= !agent;
      var role =
          agent
              ? GroupPod.Role.AGENT
              : !sidecar && beforeAgent ? GroupPod.Role.INIT : GroupPod.Role.HELPER;
      var reading = Reading.of(spec, podPolicy);
      all.add(container(reading, role, status(pod, "initContainerStatuses", spec)));
    }
    for (var spec : pod.path("spec").path("containers")) {
      var reading = Reading.of(spec, podPolicy);
      all.add(container(reading, reading.role(), status(pod, "containerStatuses", spec)));
    }
    return all;
  }

  private static GroupPod.Container container(Reading spec, GroupPod.Role role, JsonNode status) {
    return new GroupPod.Container(
        spec.name(),
        role,
        Trees.integer(status, "restartCount").orElse(0),
        status.path("state").path("running").isObject(),
        ended(spec, role, status.path("state").path("terminated")),
        ended(spec, role, status.path("lastState").path("terminated")),
        Trees.text(status, "state", "waiting", "reason"));
  }

  private static Optional<GroupPod.Ended> ended(
      Reading spec, GroupPod.Role role, JsonNode terminated) {
    if (!terminated.isObject()) {
      return Optional.empty();
    }
    int code = Trees.integer(terminated, "exitCode").orElse(0);
    var meaning = spec.meaning(code);
    boolean agent = role == GroupPod.Role.AGENT && code != 0;
    return Optional.of(
        new GroupPod.Ended(
            code,
            agent && meaning == GroupPod.Meaning.NOTHING ? GroupPod.Meaning.RESTARTS_ALL : meaning,
            Trees.text(terminated, "reason").equals("RestartingAllContainers"),
            Trees.text(terminated, "message"),
            Trees.time(terminated, "finishedAt")));
  }

  private static JsonNode status(ObjectNode pod, String list, JsonNode spec) {
    for (var status : pod.path("status").path(list)) {
      if (Trees.text(status, "name").equals(Trees.text(spec, "name"))) {
        return status;
      }
    }
    return com.fasterxml.jackson.databind.node.MissingNode.getInstance();
  }

  /** The agent runs the worker as its child. */
  private static boolean hasWorkerCommand(JsonNode spec) {
    for (var variable : spec.path("env")) {
      if (Trees.text(variable, "name").equals("WORKER_COMMAND")) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasRestartAllRule(JsonNode spec) {
    for (var rule : spec.path("restartPolicyRules")) {
      if (Trees.text(rule, "action").equals("RestartAllContainers")) {
        return true;
      }
    }
    return false;
  }

  private static List<ExitRule> rules(JsonNode spec) {
    var rules = new ArrayList<ExitRule>();
    for (var rule : spec.path("restartPolicyRules")) {
      for (var action : ExitRule.Action.values()) {
        if (action.wireName().equals(Trees.text(rule, "action"))) {
          rules.add(
              ExitRule.on(
                  action,
                  operator(Trees.text(rule, "exitCodes", "operator")),
                  Trees.integers(rule, "exitCodes", "values").stream().limit(MOST_CODES).toList()));
        }
      }
    }
    return rules;
  }

  private static ExitRule.Operator operator(String text) {
    return switch (text) {
      case "In" -> ExitRule.Operator.IN;
      case "NotIn" -> ExitRule.Operator.NOT_IN;
      default -> ExitRule.Operator.UNKNOWN;
    };
  }

  private static RestartPolicy policy(String text, RestartPolicy otherwise) {
    for (var policy : RestartPolicy.values()) {
      if (!text.isEmpty() && policy.wireName().equals(text)) {
        return policy;
      }
    }
    return otherwise;
  }
}
