package dev.regroup.api.admission.jobset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The containers of a pod that train, and which of their exit codes restart it. A container with an
 * own policy other than Never is a helper and stays as it is (JS-160).
 */
final class Workers {

  private final List<ObjectNode> containers;
  private final JsonNode failureRules;

  /** {@code failureRules} are those of the Job's podFailurePolicy. */
  Workers(ObjectNode podSpec, JsonNode failureRules) {
    this.containers =
        Trees.objects(podSpec, "containers").stream().filter(Workers::isWorker).toList();
    this.failureRules = failureRules;
  }

  private static boolean isWorker(ObjectNode container) {
    String policy = Trees.text(container, "restartPolicy");
    return policy.isEmpty() || policy.equals("Never");
  }

  List<ObjectNode> containers() {
    return containers;
  }

  /** Workers without rules restart all containers, but for the codes that must reach the Job. */
  void addRules() {
    for (ObjectNode container : containers) {
      if (!container.path("restartPolicyRules").isEmpty()) {
        continue;
      }
      container.put("restartPolicy", "Never");
      ObjectNode rule = Trees.list(container, "restartPolicyRules").addObject();
      rule.put("action", "RestartAllContainers");
      rule.set("exitCodes", restartCodes(Trees.text(container, "name")));
    }
  }

  /**
   * Every code but 0 and those that must reach the Job as a failure. Each code named by the policy
   * is judged by its first matching rule; so is "any other code", which decides the operator.
   */
  private ObjectNode restartCodes(String container) {
    var named = named();
    int other = named.isEmpty() ? 1 : named.last() + 1;
    boolean othersFail = fails(other, container);
    ObjectNode codes = Wire.object();
    codes.put("operator", othersFail ? "In" : "NotIn");
    ArrayNode values = codes.putArray("values");
    if (!othersFail) {
      values.add(0);
    }
    for (int code : named) {
      if (code != 0 && fails(code, container) != othersFail) {
        values.add(code);
      }
    }
    return codes;
  }

  /** Codes the policy names and fails the Job or the index for. */
  List<Integer> fatalCodes(String container) {
    return named().stream().filter(code -> code != 0 && fails(code, container)).toList();
  }

  private NavigableSet<Integer> named() {
    var named = new TreeSet<Integer>();
    for (JsonNode rule : failureRules) {
      Trees.at(rule, "onExitCodes", "values").forEach(code -> named.add(code.intValue()));
    }
    return named;
  }

  private boolean fails(int code, String container) {
    for (JsonNode rule : failureRules) {
      JsonNode on = rule.path("onExitCodes");
      String target = Trees.text(on, "containerName");
      if (!on.isObject() || !(target.isEmpty() || target.equals(container))) {
        continue;
      }
      boolean listed = false;
      for (JsonNode value : on.path("values")) {
        listed |= value.intValue() == code;
      }
      if (listed == Trees.text(on, "operator").equals("In")) {
        return List.of("FailJob", "FailIndex").contains(Trees.text(rule, "action"));
      }
    }
    return false;
  }
}
