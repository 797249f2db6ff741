package dev.regroup.api.admission.container;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;
import static dev.regroup.api.admission.field.FieldError.tooMany;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Checks of a container's {@code restartPolicy} and {@code restartPolicyRules} (VAL-02 to VAL-11,
 * VAL-26, VAL-30, ACT-07, ACT-12).
 */
final class ContainerRules {

  private static final int MAX_RULES = 20;
  private static final int MAX_VALUES = 255;
  private static final List<String> POLICIES = List.of("Always", "Never", "OnFailure");
  private static final List<String> CONDITIONS =
      List.of("exitCodes", "restartTimes", "oomKill", "exit");

  private final PodOptions options;
  private final Set<String> sidecars;
  private final List<FieldError> errors;

  ContainerRules(PodOptions options, Set<String> sidecars, List<FieldError> errors) {
    this.options = options;
    this.sidecars = sidecars;
    this.errors = errors;
  }

  /** A regular container reports a missing policy together with everything else (VAL-30). */
  void ofRegular(JsonNode container, FieldPath path) {
    if (!options.restartRules()) {
      if (Trees.has(container, "restartPolicy")) {
        errors.add(
            forbidden(path.field("restartPolicy"), "may not be set for non-init containers"));
      }
      return;
    }
    boolean rules = !Trees.at(container, "restartPolicyRules").isEmpty();
    if (Trees.has(container, "restartPolicy")) {
      policy(container, path);
    } else if (rules) {
      policyMissing(path);
    }
    rules(container, path);
  }

  /** An init container stops at a missing policy (VAL-30). */
  void ofInit(JsonNode container, FieldPath path) {
    String policy = Trees.text(container, "restartPolicy");
    boolean rules = !Trees.at(container, "restartPolicyRules").isEmpty();
    if (!Trees.has(container, "restartPolicy")) {
      if (rules) {
        policyMissing(path);
      }
      return;
    }
    if (!options.restartRules()) {
      if (!policy.equals("Always")) {
        errors.add(notSupported(path.field("restartPolicy"), policy, List.of("Always")));
      }
      return;
    }
    policy(container, path);
    if (rules && policy.equals("Always") && !options.restartAll()) {
      errors.add(
          forbidden(
              path.field("restartPolicyRules"),
              "restartPolicyRules are not allowed for init containers with restart policy Always"));
      return;
    }
    rules(container, path);
  }

  private void policyMissing(FieldPath path) {
    errors.add(
        required(
            path.field("restartPolicy"), "must specify restartPolicy when restart rules are used"));
  }

  private void policy(JsonNode container, FieldPath path) {
    String policy = Trees.text(container, "restartPolicy");
    if (!POLICIES.contains(policy)) {
      errors.add(notSupported(path.field("restartPolicy"), policy, POLICIES));
    }
  }

  private void rules(JsonNode container, FieldPath path) {
    FieldPath at = path.field("restartPolicyRules");
    var rules = Trees.objects(container, "restartPolicyRules");
    if (rules.size() > MAX_RULES) {
      errors.add(tooMany(at, rules.size(), MAX_RULES));
    }
    for (int i = 0; i < rules.size(); i++) {
      rule(rules.get(i), at.index(i));
    }
  }

  private void rule(JsonNode rule, FieldPath path) {
    String action = Trees.text(rule, "action");
    if (!actions().contains(action)) {
      errors.add(notSupported(path.field("action"), action, actions()));
    }
    var conditions = CONDITIONS.stream().filter(name -> Trees.has(rule, name)).toList();
    if (conditions.isEmpty()) {
      errors.add(required(path.field("exitCodes"), "must be specified"));
    } else if (conditions.size() > 1) {
      errors.add(
          invalid(
              path,
              FieldError.OMITTED,
              "must have exactly one condition, found " + String.join(", ", conditions)));
    }
    if (Trees.has(rule, "exitCodes")) {
      exitCodes(rule.path("exitCodes"), path.field("exitCodes"));
    }
    var times = Trees.number(rule, "restartTimes");
    if (times.isPresent() && times.getAsLong() < 0) {
      errors.add(
          invalid(
              path.field("restartTimes"), times.getAsLong(), "must be greater than or equal to 0"));
    }
    restartAllExtras(rule, action, path);
  }

  /** Sorted with the extended gate on, in Kubernetes' order without (ACT-13, VAL-05). */
  private List<String> actions() {
    var actions = new ArrayList<>(List.of("Restart"));
    if (options.restartAll()) {
      actions.add(PodOptions.RESTART_ALL);
    }
    if (options.extendedRules()) {
      actions.add(0, "Complete");
      actions.add("Terminate");
      actions.add("TerminatePod");
    }
    return actions;
  }

  private void exitCodes(JsonNode codes, FieldPath path) {
    String operator = Trees.text(codes, "operator");
    if (!operator.equals("In") && !operator.equals("NotIn")) {
      errors.add(notSupported(path.field("operator"), operator, List.of("In", "NotIn")));
    }
    int count = codes.path("values").size();
    if (count > MAX_VALUES) {
      errors.add(tooMany(path.field("values"), count, MAX_VALUES));
    }
  }

  /** Fields that only make sense beside a restart of all containers (ACT-07, VAL-26). */
  private void restartAllExtras(JsonNode rule, String action, FieldPath path) {
    boolean restartsAll = action.equals(PodOptions.RESTART_ALL);
    for (String field : List.of("keep", "terminationGracePeriodSeconds")) {
      if (Trees.has(rule, field) && !restartsAll) {
        errors.add(
            forbidden(path.field(field), "may only be set with action RestartAllContainers"));
      }
    }
    if (!restartsAll) {
      return;
    }
    var grace = Trees.number(rule, "terminationGracePeriodSeconds");
    if (grace.isPresent() && grace.getAsLong() < 0) {
      errors.add(
          invalid(
              path.field("terminationGracePeriodSeconds"),
              grace.getAsLong(),
              "must be greater than or equal to 0"));
    }
    var keep = Trees.texts(rule, "keep");
    for (int i = 0; i < keep.size(); i++) {
      if (!sidecars.contains(keep.get(i))) {
        errors.add(
            invalid(
                path.field("keep").index(i),
                keep.get(i),
                "must be the name of an init container with restartPolicy=Always"));
      }
    }
  }
}
