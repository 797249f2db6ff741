package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gate;
import dev.regroup.api.Gates;
import dev.regroup.api.admission.container.PodOptions;
import dev.regroup.api.admission.field.Addresses;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.Exit;
import dev.regroup.rules.ExitDecision;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RuleGate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a status may not say: a container that ended for good runs again (IMM-03), a pod that ended
 * lives again (IMM-04). Uses the decision the node uses, so both agree about every exit.
 */
public final class PodStatusGuard {

  private static final Set<String> FINAL = Set.of("Succeeded", "Failed");

  private final Gates gates;

  public PodStatusGuard(Gates gates) {
    this.gates = gates;
  }

  /** {@code pod} holds the spec and annotations in force and the status wanted. */
  public List<FieldError> check(JsonNode pod, JsonNode old) {
    var errors = new ArrayList<FieldError>();
    JsonNode spec = old.path("spec");
    FieldPath path = FieldPath.of("status");
    phase(pod, old, errors);
    facts(pod, old, errors);
    if (everyContainerMayRunAgain(pod, spec)) {
      return errors;
    }
    containers(pod, old, "initContainerStatuses", "initContainers", path, errors);
    containers(pod, old, "containerStatuses", "containers", path, errors);
    return errors;
  }

  private void phase(JsonNode pod, JsonNode old, List<FieldError> errors) {
    String before = Trees.text(old, "status", "phase");
    String now = Trees.text(pod, "status", "phase");
    boolean leaves = FINAL.contains(before) && !now.equals(before);
    if (leaves && gates.preset() == Gates.Preset.PRODUCT) {
      errors.add(
          forbidden(
              FieldPath.of("status", "phase"),
              "may not be changed from " + before + ", which is final"));
    }
  }

  private static void facts(JsonNode pod, JsonNode old, List<FieldError> errors) {
    FieldPath path = FieldPath.of("status");
    JsonNode qos = Trees.at(pod, "status", "qosClass");
    JsonNode oldQos = Trees.at(old, "status", "qosClass");
    if (!qos.isMissingNode() && !Trees.same(qos, oldQos)) {
      errors.add(invalid(path.field("qosClass"), qos, "field is immutable"));
    }
    String nominated = Trees.text(pod, "status", "nominatedNodeName");
    if (!nominated.isEmpty()) {
      NameRules.subdomain(nominated)
          .forEach(
              problem -> errors.add(invalid(path.field("nominatedNodeName"), nominated, problem)));
    }
    addresses(pod, "podIP", errors);
    addresses(pod, "hostIP", errors);
  }

  /** The first of a list of addresses is the single one; all are addresses. */
  private static void addresses(JsonNode pod, String single, List<FieldError> errors) {
    FieldPath path = FieldPath.of("status", single + "s");
    String first = Trees.text(pod, "status", single);
    var addresses = Trees.objects(pod, "status", single + "s");
    for (int i = 0; i < addresses.size(); i++) {
      String address = Trees.text(addresses.get(i), "ip");
      if (i == 0 && !address.equals(first)) {
        errors.add(
            invalid(path.index(0).field("ip"), address, "must be equal to `%s`".formatted(single)));
      }
      if (!Addresses.isAddress(address)) {
        errors.add(invalid(path.index(i), address, Addresses.ADDRESS_TEXT));
      }
    }
  }

  private boolean everyContainerMayRunAgain(JsonNode pod, JsonNode spec) {
    return gates.on(Gate.RESTART_ALL_CONTAINERS)
        && (PodOptions.hasRestartAllRule(spec)
            || Trees.has(pod, "metadata", "annotations", JobSetKeys.RESTART_REQUEST));
  }

  private void containers(
      JsonNode pod,
      JsonNode old,
      String statuses,
      String specs,
      FieldPath path,
      List<FieldError> errors) {
    var before = Trees.objects(old, "status", statuses);
    for (int i = 0; i < before.size(); i++) {
      JsonNode terminated = Trees.at(before.get(i), "state", "terminated");
      String name = Trees.text(before.get(i), "name");
      var container = find(old.path("spec"), specs, name);
      if (terminated.isMissingNode() || container.isEmpty()) {
        continue;
      }
      boolean leaves =
          Trees.objects(pod, "status", statuses).stream()
              .anyMatch(status ->
                  Trees.text(status, "name").equals(name)
                      && !Trees.has(status, "state", "terminated"));
      boolean init = specs.equals("initContainers");
      if (leaves && !mayRunAgain(old, container.get(), before.get(i), init)) {
        errors.add(
            forbidden(
                path.field(statuses).index(i).field("state"),
                "may not be transitioned to non-terminated state"));
      }
    }
  }

  private boolean mayRunAgain(JsonNode pod, ObjectNode container, JsonNode status, boolean init) {
    if (init && Trees.text(container, "restartPolicy").equals("Always")) {
      return true;
    }
    JsonNode terminated = Trees.at(status, "state", "terminated");
    int code = terminated.path("exitCode").intValue();
    var cause =
        Trees.text(terminated, "reason").equals("OOMKilled")
            ? Exit.Cause.OUT_OF_MEMORY
            : Exit.Cause.ORDINARY;
    var decision =
        ExitDecision.of(
            ruleGates(),
            policy(Trees.text(pod, "spec", "restartPolicy")),
            policy(Trees.text(container, "restartPolicy")),
            rules(container),
            new Exit(code, cause, status.path("restartCount").intValue()));
    return switch (decision) {
      // An init container that succeeded is done whatever its own policy says (DEC-30), until a
      // lost sandbox starts the pod anew (SEQ-25).
      case ExitDecision.Restart _ ->
          !init || code != 0 || Trees.text(pod, "spec", "restartPolicy").equals("Always");
      case ExitDecision.RestartAll _ -> true;
      case ExitDecision.Stay _, ExitDecision.Complete _, ExitDecision.TerminatePod _ -> false;
    };
  }

  private Set<RuleGate> ruleGates() {
    var set = EnumSet.noneOf(RuleGate.class);
    if (gates.on(Gate.CONTAINER_RESTART_RULES)) {
      set.add(RuleGate.CONTAINER_RESTART_RULES);
    }
    if (gates.on(Gate.RESTART_ALL_CONTAINERS)) {
      set.add(RuleGate.RESTART_ALL_CONTAINERS);
    }
    if (gates.on(Gate.EXTENDED_RULES)) {
      set.add(RuleGate.EXTENDED_RULES);
    }
    return set;
  }

  private static Optional<ObjectNode> find(JsonNode spec, String list, String name) {
    return Trees.objects(spec, list).stream()
        .filter(container -> Trees.text(container, "name").equals(name))
        .findFirst();
  }

  private static RestartPolicy policy(String wireName) {
    for (RestartPolicy policy : RestartPolicy.values()) {
      if (policy.wireName().equals(wireName)) {
        return policy;
      }
    }
    return RestartPolicy.INHERIT;
  }

  private static List<ExitRule> rules(ObjectNode container) {
    var rules = new ArrayList<ExitRule>();
    for (ObjectNode rule : Trees.objects(container, "restartPolicyRules")) {
      for (ExitRule.Action action : ExitRule.Action.values()) {
        if (action.wireName().equals(Trees.text(rule, "action"))) {
          rules.add(new ExitRule(action, condition(rule), List.of(), Duration.ZERO));
        }
      }
    }
    return rules;
  }

  private static ExitRule.Condition condition(ObjectNode rule) {
    if (Trees.has(rule, "oomKill")) {
      return new ExitRule.Condition.OomKill();
    }
    if (Trees.has(rule, "exit")) {
      return new ExitRule.Condition.AnyExit();
    }
    var times = Trees.number(rule, "restartTimes");
    if (times.isPresent()) {
      return new ExitRule.Condition.RestartTimes((int) times.getAsLong());
    }
    var operator =
        switch (Trees.text(rule, "exitCodes", "operator")) {
          case "In" -> ExitRule.Operator.IN;
          case "NotIn" -> ExitRule.Operator.NOT_IN;
          default -> ExitRule.Operator.UNKNOWN;
        };
    var codes = new ArrayList<Integer>();
    Trees.at(rule, "exitCodes", "values").forEach(code -> codes.add(code.intValue()));
    return new ExitRule.Condition.ExitCodes(operator, codes);
  }
}
