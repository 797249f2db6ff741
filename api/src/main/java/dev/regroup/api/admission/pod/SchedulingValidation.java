package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.admission.field.Selectors;
import dev.regroup.api.tree.Trees;
import java.util.HashSet;
import java.util.List;

/** Checks of where a pod may run: tolerations, affinity, gates. */
final class SchedulingValidation {

  private static final List<String> EFFECTS =
      List.of("NoSchedule", "PreferNoSchedule", "NoExecute");
  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

  private final List<FieldError> errors;

  SchedulingValidation(List<FieldError> errors) {
    this.errors = errors;
  }

  void tolerations(JsonNode spec, FieldPath specPath) {
    FieldPath path = specPath.field("tolerations");
    var tolerations = Trees.objects(spec, "tolerations");
    for (int i = 0; i < tolerations.size(); i++) {
      toleration(tolerations.get(i), path.index(i));
    }
  }

  private void toleration(JsonNode toleration, FieldPath path) {
    String key = Trees.text(toleration, "key");
    String operator = Trees.text(toleration, "operator");
    String value = Trees.text(toleration, "value");
    String effect = Trees.text(toleration, "effect");
    if (!key.isEmpty()) {
      NameRules.qualified(key)
          .forEach(problem -> errors.add(invalid(path.field("key"), key, problem)));
    } else if (!operator.equals("Exists")) {
      errors.add(
          invalid(
              path.field("operator"),
              operator,
              "operator must be Exists when `key` is empty, which means \"match all values and all"
                  + " keys\""));
    }
    if (Trees.has(toleration, "tolerationSeconds") && !effect.equals("NoExecute")) {
      errors.add(
          invalid(
              path.field("effect"),
              effect,
              "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    switch (operator) {
      case "Equal", "" -> {
        var problems = NameRules.labelValue(value);
        if (!problems.isEmpty()) {
          errors.add(invalid(path.field("operator"), value, String.join(";", problems)));
        }
      }
      case "Exists" -> {
        if (!value.isEmpty()) {
          errors.add(
              invalid(
                  path.field("operator"),
                  value,
                  "value must be empty when `operator` is 'Exists'"));
        }
      }
      // Comparing numbers is alpha and off; only then are all four named.
      case "Lt", "Gt" ->
          errors.add(
              notSupported(
                  path.field("operator"), operator, List.of("Equal", "Exists", "Lt", "Gt")));
      default ->
          errors.add(notSupported(path.field("operator"), operator, List.of("Equal", "Exists")));
    }
    if (!effect.isEmpty() && !EFFECTS.contains(effect)) {
      errors.add(notSupported(path.field("effect"), effect, EFFECTS));
    }
  }

  void affinity(JsonNode spec, FieldPath specPath) {
    JsonNode affinity = spec.path("affinity");
    FieldPath path = specPath.field("affinity");
    nodeAffinity(affinity.path("nodeAffinity"), path.field("nodeAffinity"));
    for (String kind : List.of("podAffinity", "podAntiAffinity")) {
      podAffinity(affinity.path(kind), path.field(kind));
    }
  }

  private void nodeAffinity(JsonNode affinity, FieldPath path) {
    if (Trees.has(affinity, REQUIRED)) {
      FieldPath at = path.field(REQUIRED, "nodeSelectorTerms");
      var terms = Trees.objects(affinity, REQUIRED, "nodeSelectorTerms");
      if (terms.isEmpty()) {
        errors.add(required(at, "must have at least one node selector term"));
      }
      for (int i = 0; i < terms.size(); i++) {
        term(terms.get(i), at.index(i));
        labelValues(terms.get(i), at.index(i));
      }
    }
    var preferences = Trees.objects(affinity, PREFERRED);
    for (int i = 0; i < preferences.size(); i++) {
      FieldPath at = path.field(PREFERRED).index(i);
      weight(preferences.get(i), at);
      term(preferences.get(i).path("preference"), at.field("preference"));
    }
  }

  private void weight(JsonNode preference, FieldPath path) {
    long weight = Trees.number(preference, "weight").orElse(0);
    if (weight < 1 || weight > 100) {
      errors.add(invalid(path.field("weight"), weight, "must be in the range 1-100"));
    }
  }

  private void term(JsonNode term, FieldPath path) {
    var expressions = Trees.objects(term, "matchExpressions");
    for (int i = 0; i < expressions.size(); i++) {
      expression(expressions.get(i), path.field("matchExpressions").index(i));
    }
    var fields = Trees.objects(term, "matchFields");
    for (int i = 0; i < fields.size(); i++) {
      nodeField(fields.get(i), path.field("matchFields").index(i));
    }
  }

  private void expression(JsonNode requirement, FieldPath path) {
    String operator = Trees.text(requirement, "operator");
    FieldPath at = path.field("values");
    int values = requirement.path("values").size();
    switch (operator) {
      case "In", "NotIn" -> {
        if (values == 0) {
          errors.add(required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
        }
      }
      case "Exists", "DoesNotExist" -> {
        if (values > 0) {
          errors.add(
              forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
        }
      }
      case "Gt", "Lt" -> {
        if (values != 1) {
          errors.add(
              required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
        }
      }
      default -> noOperator(operator, path);
    }
    String key = Trees.text(requirement, "key");
    NameRules.qualified(key)
        .forEach(problem -> errors.add(invalid(path.field("key"), key, problem)));
  }

  /** Values that no label can have: only where the term must hold. */
  private void labelValues(JsonNode term, FieldPath path) {
    var expressions = Trees.objects(term, "matchExpressions");
    for (int i = 0; i < expressions.size(); i++) {
      var values = Trees.texts(expressions.get(i), "values");
      for (int j = 0; j < values.size(); j++) {
        String value = values.get(j);
        FieldPath at = path.field("matchExpressions").index(i).field("values").index(j);
        NameRules.labelValue(value).forEach(problem -> errors.add(invalid(at, value, problem)));
      }
    }
  }

  private void nodeField(JsonNode requirement, FieldPath path) {
    String operator = Trees.text(requirement, "operator");
    var values = Trees.texts(requirement, "values");
    if (!operator.equals("In") && !operator.equals("NotIn")) {
      noOperator(operator, path);
    } else if (values.size() != 1) {
      errors.add(
          required(
              path.field("values"),
              "must be only one value when `operator` is 'In' or 'NotIn' for node field"
                  + " selector"));
    }
    String key = Trees.text(requirement, "key");
    if (!key.equals("metadata.name")) {
      errors.add(invalid(path.field("key"), key, "not a valid field selector key"));
      return;
    }
    for (int i = 0; i < values.size(); i++) {
      String value = values.get(i);
      FieldPath at = path.field("values").index(i);
      NameRules.subdomain(value).forEach(problem -> errors.add(invalid(at, value, problem)));
    }
  }

  private void noOperator(String operator, FieldPath path) {
    errors.add(invalid(path.field("operator"), operator, "not a valid selector operator"));
  }

  private void podAffinity(JsonNode affinity, FieldPath path) {
    var terms = Trees.objects(affinity, REQUIRED);
    for (int i = 0; i < terms.size(); i++) {
      podTerm(terms.get(i), path.field(REQUIRED).index(i));
    }
    var preferences = Trees.objects(affinity, PREFERRED);
    for (int i = 0; i < preferences.size(); i++) {
      FieldPath at = path.field(PREFERRED).index(i);
      weight(preferences.get(i), at);
      podTerm(preferences.get(i).path("podAffinityTerm"), at.field("podAffinityTerm"));
    }
  }

  private void podTerm(JsonNode term, FieldPath path) {
    for (String selector : List.of("labelSelector", "namespaceSelector")) {
      Selectors.check(term.path(selector), path.field(selector), errors);
    }
    for (String namespace : Trees.texts(term, "namespaces")) {
      NameRules.label(namespace)
          .forEach(problem -> errors.add(invalid(path.field("namespace"), namespace, problem)));
    }
    labelKeys(term, path);
    String topology = Trees.text(term, "topologyKey");
    if (topology.isEmpty()) {
      errors.add(required(path.field("topologyKey"), "can not be empty"));
    }
    NameRules.qualified(topology)
        .forEach(problem -> errors.add(invalid(path.field("topologyKey"), topology, problem)));
  }

  /** {@code matchLabelKeys} and {@code mismatchLabelKeys} of an affinity term or a spread. */
  void labelKeys(JsonNode term, FieldPath path) {
    var matching = Trees.texts(term, "matchLabelKeys");
    var mismatching = Trees.texts(term, "mismatchLabelKeys");
    labelKeys(term, "matchLabelKeys", path);
    labelKeys(term, "mismatchLabelKeys", path);
    // A pod's own label was added to the selector before: a second mention is the user's.
    var seen = new HashSet<>(Trees.keys(term, "labelSelector", "matchLabels"));
    for (JsonNode expression : Trees.objects(term, "labelSelector", "matchExpressions")) {
      String key = Trees.text(expression, "key");
      int index = matching.indexOf(key);
      if (!seen.add(key) && index >= 0) {
        errors.add(
            invalid(path.index(index), key, "exists in both matchLabelKeys and labelSelector"));
      }
    }
    for (int i = 0; i < matching.size(); i++) {
      if (mismatching.contains(matching.get(i))) {
        errors.add(
            invalid(
                path.field("matchLabelKeys").index(i),
                matching.get(i),
                "exists in both matchLabelKeys and mismatchLabelKeys"));
      }
    }
  }

  private void labelKeys(JsonNode term, String field, FieldPath path) {
    var keys = Trees.texts(term, field);
    FieldPath at = path.field(field);
    if (!keys.isEmpty() && !Trees.has(term, "labelSelector")) {
      errors.add(forbidden(at, "must not be specified when labelSelector is not set"));
      return;
    }
    for (int i = 0; i < keys.size(); i++) {
      String key = keys.get(i);
      FieldPath keyAt = at.index(i);
      NameRules.qualified(key).forEach(problem -> errors.add(invalid(keyAt, key, problem)));
    }
  }

  void gates(JsonNode spec, FieldPath specPath) {
    var readiness = Trees.objects(spec, "readinessGates");
    for (int i = 0; i < readiness.size(); i++) {
      String type = Trees.text(readiness.get(i), "conditionType");
      FieldPath path = specPath.field("readinessGates").index(i).field("conditionType");
      NameRules.qualified(type).forEach(problem -> errors.add(invalid(path, type, problem)));
    }
    var seen = new HashSet<String>();
    var gates = Trees.objects(spec, "schedulingGates");
    for (int i = 0; i < gates.size(); i++) {
      FieldPath path = specPath.field("schedulingGates").index(i);
      String name = Trees.text(gates.get(i), "name");
      NameRules.qualified(name).forEach(problem -> errors.add(invalid(path, name, problem)));
      if (!seen.add(name)) {
        errors.add(duplicate(path, name));
      }
    }
  }
}
