package dev.regroup.api.admission.job;

import static dev.regroup.api.admission.field.FieldError.OMITTED;
import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;
import static dev.regroup.api.admission.field.FieldError.tooLong;
import static dev.regroup.api.admission.field.FieldError.tooMany;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** Checks of a Job's pod failure policy and success policy (JB-22). */
final class JobPolicies {

  private static final int MAX_RULES = 20;
  private static final int MAX_CODES = 255;
  private static final int MAX_INDEX_TEXT = 65536;
  private static final List<String> ACTIONS = List.of("Count", "FailIndex", "FailJob", "Ignore");
  private static final List<String> OPERATORS = List.of("In", "NotIn");
  private static final List<String> STATUSES = List.of("False", "True", "Unknown");

  private final List<FieldError> errors;

  JobPolicies(List<FieldError> errors) {
    this.errors = errors;
  }

  void failurePolicy(JsonNode spec, FieldPath specPath) {
    FieldPath path = specPath.field("podFailurePolicy", "rules");
    var rules = Trees.objects(spec, "podFailurePolicy", "rules");
    if (rules.size() > MAX_RULES) {
      errors.add(tooMany(path, rules.size(), MAX_RULES));
    }
    var containers = new HashSet<String>();
    for (String list : List.of("containers", "initContainers")) {
      Trees.objects(spec, "template", "spec", list)
          .forEach(container -> containers.add(Trees.text(container, "name")));
    }
    for (int i = 0; i < rules.size(); i++) {
      failureRule(rules.get(i), spec, containers, path.index(i));
    }
  }

  private void failureRule(ObjectNode rule, JsonNode spec, Set<String> containers, FieldPath path) {
    String action = Trees.text(rule, "action");
    FieldPath at = path.field("action");
    if (action.isEmpty()) {
      errors.add(required(at, "valid values: " + bracketed(ACTIONS)));
    } else if (!ACTIONS.contains(action)) {
      errors.add(notSupported(at, action, ACTIONS));
    } else if (action.equals("FailIndex") && !Trees.has(spec, "backoffLimitPerIndex")) {
      errors.add(invalid(at, action, "requires the backoffLimitPerIndex to be set"));
    }
    boolean codes = Trees.has(rule, "onExitCodes");
    boolean conditions = !rule.path("onPodConditions").isEmpty();
    if (codes) {
      exitCodes(rule.path("onExitCodes"), containers, path.field("onExitCodes"));
    }
    if (conditions) {
      podConditions(rule, path.field("onPodConditions"));
    }
    if (codes && conditions) {
      errors.add(
          invalid(
              path, OMITTED, "specifying both OnExitCodes and OnPodConditions is not supported"));
    } else if (!codes && !conditions) {
      errors.add(
          invalid(path, OMITTED, "specifying one of OnExitCodes and OnPodConditions is required"));
    }
  }

  private void exitCodes(JsonNode codes, Set<String> containers, FieldPath path) {
    String operator = Trees.text(codes, "operator");
    if (operator.isEmpty()) {
      errors.add(required(path.field("operator"), "valid values: " + bracketed(OPERATORS)));
    } else if (!OPERATORS.contains(operator)) {
      errors.add(notSupported(path.field("operator"), operator, OPERATORS));
    }
    var container = Trees.textIfPresent(codes, "containerName");
    if (container.isPresent() && !containers.contains(container.get())) {
      errors.add(
          invalid(
              path.field("containerName"),
              container.get(),
              "must be one of the container or initContainer names in the pod template"));
    }
    values(codes.path("values"), operator, path.field("values"));
  }

  private void values(JsonNode values, String operator, FieldPath path) {
    if (values.isEmpty()) {
      errors.add(invalid(path, values.isArray() ? values : null, "at least one value is required"));
    } else if (values.size() > MAX_CODES) {
      errors.add(tooMany(path, values.size(), MAX_CODES));
    }
    var seen = new HashSet<Integer>();
    boolean ordered = true;
    for (int i = 0; i < values.size(); i++) {
      int code = values.path(i).intValue();
      if (operator.equals("In") && code == 0) {
        errors.add(invalid(path.index(i), 0, "must not be 0 for the In operator"));
      }
      if (!seen.add(code)) {
        errors.add(duplicate(path.index(i), code));
      }
      ordered &= i == 0 || values.path(i - 1).intValue() <= code;
    }
    if (!ordered) {
      errors.add(invalid(path, values, "must be ordered"));
    }
  }

  private void podConditions(ObjectNode rule, FieldPath path) {
    var patterns = Trees.objects(rule, "onPodConditions");
    if (patterns.size() > MAX_RULES) {
      errors.add(tooMany(path, patterns.size(), MAX_RULES));
    }
    for (int i = 0; i < patterns.size(); i++) {
      FieldPath at = path.index(i);
      String type = Trees.text(patterns.get(i), "type");
      NameRules.qualified(type)
          .forEach(problem -> errors.add(invalid(at.field("type"), type, problem)));
      String status = Trees.text(patterns.get(i), "status");
      if (status.isEmpty()) {
        errors.add(required(at.field("status"), "valid values: " + bracketed(STATUSES)));
      } else if (!STATUSES.contains(status)) {
        errors.add(notSupported(at.field("status"), status, STATUSES));
      }
    }
  }

  private static String bracketed(List<String> values) {
    return "[\"" + String.join("\" \"", values) + "\"]";
  }

  void successPolicy(JsonNode spec, FieldPath specPath) {
    FieldPath path = specPath.field("successPolicy", "rules");
    var rules = Trees.objects(spec, "successPolicy", "rules");
    if (rules.isEmpty()) {
      errors.add(
          required(
              path, "at least one rules must be specified when the successPolicy is specified"));
    }
    if (rules.size() > MAX_RULES) {
      errors.add(tooMany(path, rules.size(), MAX_RULES));
    }
    long completions = Trees.number(spec, "completions").orElse(0);
    for (int i = 0; i < rules.size(); i++) {
      successRule(rules.get(i), completions, path.index(i));
    }
  }

  private void successRule(ObjectNode rule, long completions, FieldPath path) {
    var indexes = Trees.textIfPresent(rule, "succeededIndexes");
    var count = Trees.number(rule, "succeededCount");
    if (indexes.isEmpty() && count.isEmpty()) {
      errors.add(
          required(path, "at least one of succeededCount or succeededIndexes must be specified"));
      return;
    }
    var listed = OptionalLong.empty();
    if (indexes.isPresent()) {
      FieldPath at = path.field("succeededIndexes");
      if (indexes.get().length() > MAX_INDEX_TEXT) {
        errors.add(tooLong(at, MAX_INDEX_TEXT));
      }
      switch (IndexText.parse(indexes.get(), completions)) {
        case IndexText.Parsed.Good found -> listed = OptionalLong.of(found.count());
        case IndexText.Parsed.Bad(String problem) -> {
          errors.add(invalid(at, indexes.get(), "error parsing succeededIndexes: " + problem));
          listed = OptionalLong.of(0); // none was read, so any count is above it
        }
      }
    }
    if (count.isEmpty()) {
      return;
    }
    FieldPath at = path.field("succeededCount");
    long wanted = count.getAsLong();
    if (wanted < 0) {
      errors.add(invalid(at, wanted, "must be greater than or equal to 0"));
    }
    if (wanted > completions) {
      errors.add(
          invalid(
              at,
              wanted,
              "must be less than or equal to %d (the number of specified completions)"
                  .formatted(completions)));
    }
    if (listed.isPresent() && wanted > listed.getAsLong()) {
      errors.add(
          invalid(
              at,
              wanted,
              ("must be less than or equal to %d (the number of indexes in the specified"
                      + " succeededIndexes field)")
                  .formatted(listed.getAsLong())));
    }
  }
}
