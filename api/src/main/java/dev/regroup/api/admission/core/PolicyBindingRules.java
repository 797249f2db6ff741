package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.admission.field.Selectors;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Bindings of validating admission policies: where one applies, and what it does there. */
final class PolicyBindingRules implements KindRules {
  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final List<String> ACTIONS = List.of("Audit", "Deny", "Warn");
  private static final List<String> NOT_FOUND_ACTIONS = List.of("Deny", "Allow");

  @Override
  public boolean hasGeneration() {
    return true;
  }

  @Override
  public void fill(ObjectNode binding) {
    Trees.object(binding, "spec", "matchResources")
        .ifPresent(match -> MatchRules.fill(match, "resourceRules", "excludeResourceRules"));
  }

  @Override
  public List<FieldError> check(ObjectNode binding, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    JsonNode spec = binding.path("spec");
    String policy = Trees.text(spec, "policyName");
    if (policy.isEmpty()) {
      errors.add(required(SPEC.field("policyName"), ""));
    } else {
      NameRules.subdomain(policy)
          .forEach(problem -> errors.add(invalid(SPEC.field("policyName"), policy, problem)));
    }
    Trees.object(spec, "paramRef")
        .ifPresent(reference -> parameters(reference, SPEC.field("paramRef"), errors));
    if (Trees.has(spec, "matchResources")) {
      new MatchRules(errors).resources(spec.path("matchResources"), SPEC.field("matchResources"));
    }
    actions(spec, SPEC.field("validationActions"), errors);
    return errors;
  }

  private static void parameters(ObjectNode reference, FieldPath path, List<FieldError> errors) {
    var exclusive = "name and selector are mutually exclusive";
    String name = Trees.text(reference, "name");
    boolean selector = Trees.has(reference, "selector");
    if (!name.isEmpty()) {
      Metadata.pathSegment(name)
          .forEach(problem -> errors.add(invalid(path.field("name"), name, problem)));
      if (selector) {
        errors.add(forbidden(path.field("name"), exclusive));
      }
    }
    if (selector) {
      Selectors.check(reference.path("selector"), path.field("selector"), errors);
      if (!name.isEmpty()) {
        errors.add(forbidden(path.field("selector"), exclusive));
      }
    }
    if (name.isEmpty() && !selector) {
      errors.add(required(path, "one of name or selector must be specified"));
    }
    String action = Trees.text(reference, "parameterNotFoundAction");
    if (action.isEmpty()) {
      errors.add(required(path.field("parameterNotFoundAction"), ""));
    } else if (!NOT_FOUND_ACTIONS.contains(action)) {
      errors.add(notSupported(path.field("parameterNotFoundAction"), action, NOT_FOUND_ACTIONS));
    }
  }

  private static void actions(JsonNode spec, FieldPath path, List<FieldError> errors) {
    var actions = Trees.texts(spec, "validationActions");
    if (actions.isEmpty()) {
      errors.add(required(path, "at least one validation action is required"));
    }
    var seen = new HashSet<String>();
    for (int i = 0; i < actions.size(); i++) {
      if (!ACTIONS.contains(actions.get(i))) {
        errors.add(notSupported(path.index(i), actions.get(i), ACTIONS));
      }
      if (!seen.add(actions.get(i))) {
        errors.add(duplicate(path.index(i), actions.get(i)));
      }
    }
    if (seen.contains("Deny") && seen.contains("Warn")) {
      errors.add(
          invalid(
              path,
              spec.path("validationActions"),
              "must not contain both Deny and Warn (repeating the same validation failure"
                  + " information in the API response and headers serves no purpose)"));
    }
  }
}
