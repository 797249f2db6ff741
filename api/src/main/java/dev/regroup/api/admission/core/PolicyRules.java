package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.cel.CelCompiled;
import dev.regroup.api.policy.PolicyExpressions;
import dev.regroup.api.policy.PolicyExpressions.Extra;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Validating admission policies: every expression compiles, in the surroundings it will have. */
final class PolicyRules implements KindRules {
  private static final List<String> STATES = List.of("False", "True", "Unknown");
  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final int MOST_ANNOTATIONS = 20;
  private static final List<String> REASONS =
      List.of("Forbidden", "Invalid", "RequestEntityTooLarge");
  private static final Pattern IDENTIFIER = Pattern.compile("[_a-zA-Z][_a-zA-Z0-9]*");

  @Override
  public boolean hasStatus() {
    return true;
  }

  @Override
  public boolean hasGeneration() {
    return true;
  }

  @Override
  public void fill(ObjectNode policy) {
    ObjectNode spec = Trees.child(policy, "spec");
    Trees.fill(spec, "failurePolicy", "Fail");
    Trees.object(spec, "matchConstraints")
        .ifPresent(match -> MatchRules.fill(match, "resourceRules", "excludeResourceRules"));
  }

  @Override
  public void begin(ObjectNode policy) {
    policy.putObject("status");
  }

  @Override
  public List<FieldError> checkStatus(ObjectNode policy, ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    var conditions = Trees.objects(policy, "status", "conditions");
    for (int i = 0; i < conditions.size(); i++) {
      ObjectNode condition = conditions.get(i);
      FieldPath path = FieldPath.of("status", "conditions").index(i);
      String type = Trees.text(condition, "type");
      NameRules.qualified(type)
          .forEach(problem -> errors.add(invalid(path.field("type"), type, problem)));
      String state = Trees.text(condition, "status");
      if (!STATES.contains(state)) {
        errors.add(notSupported(path.field("status"), state, STATES));
      }
      for (String field : List.of("lastTransitionTime", "reason")) {
        if (Trees.text(condition, field).isEmpty()) {
          errors.add(required(path.field(field), ""));
        }
      }
    }
    return errors;
  }

  @Override
  public List<FieldError> check(ObjectNode policy, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    JsonNode spec = policy.path("spec");
    if (old != null && spec.equals(old.path("spec"))) {
      return errors; // it was good when it came
    }
    var match = new MatchRules(errors);
    match.oneOf(spec, "failurePolicy", MatchRules.FAILURE_POLICIES, SPEC);
    var params = Trees.object(spec, "paramKind");
    params.ifPresent(kind -> paramKind(kind, SPEC.field("paramKind"), errors));
    constraints(spec, match, errors);
    var expressions =
        PolicyExpressions.of(
            params.isPresent()
                ? EnumSet.allOf(Extra.class)
                : EnumSet.of(Extra.AUTHORIZER, Extra.VARIABLES));
    match.conditions(spec, SPEC.field("matchConditions"), expressions);
    variables(spec, match, expressions, errors);
    var validations = Trees.objects(spec, "validations");
    var annotations = Trees.objects(spec, "auditAnnotations");
    if (validations.isEmpty() && annotations.isEmpty()) {
      var problem = "validations or auditAnnotations must contain at least one item";
      errors.add(required(SPEC.field("validations"), problem));
      errors.add(required(SPEC.field("auditAnnotations"), problem));
    }
    for (int i = 0; i < validations.size(); i++) {
      FieldPath at = SPEC.field("validations").index(i);
      validation(validations.get(i), at, match, expressions, errors);
    }
    annotations(Trees.text(policy, "metadata", "name"), annotations, match, expressions, errors);
    return errors;
  }

  private static void paramKind(ObjectNode kind, FieldPath path, List<FieldError> errors) {
    String apiVersion = Trees.text(kind, "apiVersion");
    FieldPath at = path.field("apiVersion");
    int slash = apiVersion.indexOf('/');
    if (apiVersion.isEmpty()) {
      errors.add(required(at, ""));
    } else if (slash != apiVersion.lastIndexOf('/')) {
      errors.add(invalid(at, apiVersion, "unexpected GroupVersion string: " + apiVersion));
    } else {
      String group = slash < 0 ? "" : apiVersion.substring(0, slash);
      if (!group.isEmpty()) {
        joined(at, group, "", NameRules.subdomain(group), errors);
      }
      String version = apiVersion.substring(slash + 1);
      if (version.isEmpty()) {
        errors.add(invalid(at, apiVersion, "version must be specified"));
      } else {
        joined(at, version, "", NameRules.label1035(version), errors);
      }
    }
    String name = Trees.text(kind, "kind");
    if (name.isEmpty()) {
      errors.add(required(path.field("kind"), ""));
      return;
    }
    joined(
        path.field("kind"),
        name,
        "may have mixed case, but should otherwise match: ",
        NameRules.label1035(name.toLowerCase(Locale.ROOT)),
        errors);
  }

  /** All problems of one text are one error. */
  private static void joined(
      FieldPath path, String text, String prefix, List<String> problems, List<FieldError> errors) {
    if (!problems.isEmpty()) {
      errors.add(invalid(path, text, prefix + String.join(",", problems)));
    }
  }

  private static void constraints(JsonNode spec, MatchRules match, List<FieldError> errors) {
    FieldPath path = SPEC.field("matchConstraints");
    if (!Trees.has(spec, "matchConstraints")) {
      errors.add(required(path, ""));
      return;
    }
    match.resources(spec.path("matchConstraints"), path);
    if (spec.path("matchConstraints").path("resourceRules").isEmpty()) {
      errors.add(required(path.field("resourceRules"), ""));
    }
  }

  private static void variables(
      JsonNode spec, MatchRules match, PolicyExpressions expressions, List<FieldError> errors) {
    var variables = Trees.objects(spec, "variables");
    for (int i = 0; i < variables.size(); i++) {
      FieldPath at = SPEC.field("variables").index(i);
      String name = Trees.text(variables.get(i), "name");
      if (name.isBlank()) {
        errors.add(required(at.field("name"), "name is not specified"));
      } else if (!IDENTIFIER.matcher(name).matches()) {
        errors.add(invalid(at.field("name"), name, "must be a valid CEL identifier"));
      }
      String text = Trees.text(variables.get(i), "expression");
      if (text.isBlank()) {
        errors.add(required(at.field("expression"), "expression is not specified"));
      } else {
        match.compiled(at.field("expression"), text, expressions.variable(name, text));
      }
    }
  }

  private static void validation(
      ObjectNode validation,
      FieldPath path,
      MatchRules match,
      PolicyExpressions expressions,
      List<FieldError> errors) {
    String text = Trees.text(validation, "expression");
    if (text.isBlank()) {
      errors.add(required(path.field("expression"), "expression is not specified"));
    } else {
      match.compiled(path.field("expression"), text, expressions.validation(text));
    }
    String computed = Trees.text(validation, "messageExpression");
    if (!computed.isBlank()) {
      match.compiled(path.field("messageExpression"), computed, expressions.message(computed));
    } else if (!computed.isEmpty()) {
      errors.add(
          invalid(path.field("messageExpression"), computed, "must be non-empty if specified"));
    }
    String message = Trees.text(validation, "message");
    if (!message.isEmpty() && message.isBlank()) {
      errors.add(invalid(path.field("message"), message, "must be non-empty if specified"));
    } else if (hasLines(message.strip())) {
      errors.add(invalid(path.field("message"), message, "must not contain line breaks"));
    }
    Trees.textIfPresent(validation, "reason")
        .filter(reason -> !REASONS.contains(reason))
        .ifPresent(reason -> errors.add(notSupported(path.field("reason"), reason, REASONS)));
  }

  private static boolean hasLines(String text) {
    return text.indexOf('\n') >= 0;
  }

  private static void annotations(
      String policy,
      List<ObjectNode> annotations,
      MatchRules match,
      PolicyExpressions expressions,
      List<FieldError> errors) {
    FieldPath path = SPEC.field("auditAnnotations");
    if (annotations.size() > MOST_ANNOTATIONS) {
      errors.add(
          invalid(
              path,
              annotations.size(),
              "must not have more than " + MOST_ANNOTATIONS + " auditAnnotations"));
    }
    var keys = new HashSet<String>();
    for (int i = 0; i < annotations.size(); i++) {
      FieldPath at = path.index(i);
      String key = Trees.text(annotations.get(i), "key");
      String full = policy.isEmpty() ? key : policy + "/" + key;
      NameRules.qualified(full)
          .forEach(problem -> errors.add(invalid(at.field("key"), full, problem)));
      String text = Trees.text(annotations.get(i), "valueExpression");
      if (text.isBlank()) {
        errors.add(required(at.field("valueExpression"), "valueExpression is not specified"));
      } else {
        CelCompiled compiled = expressions.annotation(text);
        match.compiled(at.field("valueExpression"), text, compiled);
      }
      if (!keys.add(key)) {
        errors.add(duplicate(at.field("key"), key));
      }
    }
  }
}
