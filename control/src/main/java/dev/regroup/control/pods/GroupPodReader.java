package dev.regroup.control.pods;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.control.Read;
import dev.regroup.rules.Exit;
import dev.regroup.rules.ExitDecision;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.group.Report;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads what the group of a pod has to know (JS-38, JS-160). */
final class GroupPodReader {

  private static final Set<RuleGate> GATES = EnumSet.allOf(RuleGate.class);

  private GroupPodReader() {}

  static Optional<GroupPod> read(ObjectNode pod) {
    var labels = pod.path("metadata").path("labels");
    var jobSet = Read.optionalText(labels, JobSetKeys.JOBSET_NAME);
    if (jobSet == null) {
      return Optional.empty();
    }
    var annotations = pod.path("metadata").path("annotations");
    var status = pod.path("status");
    var phase = Read.text(status, "phase");
    var restarting = restartingCondition(status);
    return Optional.of(
        new GroupPod(
            jobSet,
            Report.read(
                Read.optionalText(annotations, JobSetKeys.IN_PLACE_RESTART_ATTEMPT),
                Read.optionalText(annotations, JobSetKeys.EPOCH)),
            Read.text(annotations, JobSetKeys.INJECT_AGENT).equals("node"),
            phase.equals("Succeeded"),
            phase.equals("Failed"),
            pod.path("metadata").hasNonNull("deletionTimestamp"),
            isTrue(PodReader.condition(status, "DisruptionTarget")),
            isTrue(restarting),
            restarting == null ? null : Read.time(restarting, "lastTransitionTime"),
            containers(pod)));
  }

  /** The draft's name is read as equal (node.md CND-11). */
  private static @org.jspecify.annotations.Nullable JsonNode restartingCondition(JsonNode status) {
    var released = PodReader.condition(status, "AllContainersRestarting");
    return released != null ? released : PodReader.condition(status, "PodRestartInPlace");
  }

  private static boolean isTrue(@org.jspecify.annotations.Nullable JsonNode condition) {
    return condition != null && Read.text(condition, "status").equals("True");
  }

  private static List<GroupPod.Container> containers(ObjectNode pod) {
    var all = new ArrayList<GroupPod.Container>();
    var podPolicy = policy(Read.text(pod, "spec", "restartPolicy"), RestartPolicy.ALWAYS);
    boolean beforeAgent = true;
    for (var spec : pod.path("spec").path("initContainers")) {
      boolean sidecar = Read.text(spec, "restartPolicy").equals("Always");
      boolean agent = sidecar && hasRestartAllRule(spec);
      beforeAgent &= !agent;
      var role =
          agent
              ? GroupPod.Role.AGENT
              : !sidecar && beforeAgent ? GroupPod.Role.INIT : GroupPod.Role.HELPER;
      all.add(container(spec, role, podPolicy, status(pod, "initContainerStatuses", spec)));
    }
    for (var spec : pod.path("spec").path("containers")) {
      all.add(
          container(
              spec, role(spec, podPolicy), podPolicy, status(pod, "containerStatuses", spec)));
    }
    return all;
  }

  private static GroupPod.Container container(
      JsonNode spec, GroupPod.Role role, RestartPolicy podPolicy, JsonNode status) {
    var terminated = status.path("state").path("terminated");
    Optional<GroupPod.Ended> ended =
        terminated.isObject()
            ? Optional.of(ended(spec, role, podPolicy, terminated))
            : Optional.empty();
    return new GroupPod.Container(
        Read.text(spec, "name"),
        role,
        Read.number(0, status, "restartCount"),
        status.path("state").path("running").isObject(),
        ended);
  }

  private static GroupPod.Ended ended(
      JsonNode spec, GroupPod.Role role, RestartPolicy podPolicy, JsonNode terminated) {
    int code = Read.number(0, terminated, "exitCode");
    boolean fails = code != 0 && (hasWorkerCommand(spec) || fails(decision(spec, podPolicy, code)));
    boolean counts = role == GroupPod.Role.AGENT ? code != 0 : fails;
    return new GroupPod.Ended(code, counts, Read.time(terminated, "finishedAt"));
  }

  private static JsonNode status(ObjectNode pod, String list, JsonNode spec) {
    for (var status : pod.path("status").path(list)) {
      if (Read.text(status, "name").equals(Read.text(spec, "name"))) {
        return status;
      }
    }
    return com.fasterxml.jackson.databind.node.MissingNode.getInstance();
  }

  /** A worker is a container that can end for good or restart all for some code (JS-160). */
  private static GroupPod.Role role(JsonNode spec, RestartPolicy podPolicy) {
    if (hasWorkerCommand(spec)) {
      return GroupPod.Role.WORKER;
    }
    int codes = spec.path("restartPolicyRules").isEmpty() ? 1 : 255;
    for (int code = 1; code <= codes; code++) {
      if (fails(decision(spec, podPolicy, code))) {
        return GroupPod.Role.WORKER;
      }
    }
    return GroupPod.Role.HELPER;
  }

  private static boolean fails(ExitDecision decision) {
    return switch (decision) {
      case ExitDecision.RestartAll _, ExitDecision.Stay _, ExitDecision.TerminatePod _ -> true;
      case ExitDecision.Restart _, ExitDecision.Complete _ -> false;
    };
  }

  /** Main-container and process mode: the agent is the worker, every non-zero exit counts. */
  private static boolean hasWorkerCommand(JsonNode spec) {
    for (var variable : spec.path("env")) {
      if (Read.text(variable, "name").equals("WORKER_COMMAND")) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasRestartAllRule(JsonNode spec) {
    for (var rule : spec.path("restartPolicyRules")) {
      if (Read.text(rule, "action").equals("RestartAllContainers")) {
        return true;
      }
    }
    return false;
  }

  private static ExitDecision decision(JsonNode spec, RestartPolicy podPolicy, int code) {
    var own = policy(Read.text(spec, "restartPolicy"), RestartPolicy.INHERIT);
    return ExitDecision.of(GATES, podPolicy, own, rules(spec), Exit.of(code));
  }

  private static List<ExitRule> rules(JsonNode spec) {
    var rules = new ArrayList<ExitRule>();
    for (var rule : spec.path("restartPolicyRules")) {
      for (var action : ExitRule.Action.values()) {
        if (action.wireName().equals(Read.text(rule, "action"))) {
          rules.add(
              ExitRule.on(
                  action,
                  operator(Read.text(rule, "exitCodes", "operator")),
                  Read.numbers(rule, "exitCodes", "values")));
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
