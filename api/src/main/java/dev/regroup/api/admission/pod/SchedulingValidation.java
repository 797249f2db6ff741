package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.FieldError.duplicate;
import static dev.regroup.api.admission.FieldError.forbidden;
import static dev.regroup.api.admission.FieldError.invalid;
import static dev.regroup.api.admission.FieldError.notSupported;
import static dev.regroup.api.admission.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.FieldError;
import dev.regroup.api.admission.FieldPath;
import dev.regroup.api.admission.Metadata;
import dev.regroup.api.admission.Names;
import dev.regroup.api.admission.Trees;
import java.util.HashSet;
import java.util.List;

/** Checks of where a pod may run: tolerations, affinity, gates. */
public final class SchedulingValidation {

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
      Names.qualified(key).forEach(problem -> errors.add(invalid(path.field("key"), key, problem)));
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
        var problems = Names.labelValue(value);
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
    for (String list : List.of("matchExpressions", "matchFields")) {
      var requirements = Trees.objects(term, list);
      for (int i = 0; i < requirements.size(); i++) {
        requirement(requirements.get(i), path.field(list).index(i));
      }
    }
  }

  private void requirement(JsonNode requirement, FieldPath path) {
    String operator = Trees.text(requirement, "operator");
    int values = requirement.path("values").size();
    switch (operator) {
      case "In", "NotIn" -> {
        if (values == 0) {
          errors.add(
              required(
                  path.field("values"), "must be specified when `operator` is 'In' or 'NotIn'"));
        }
      }
      case "Exists", "DoesNotExist" -> {
        if (values > 0) {
          errors.add(
              forbidden(
                  path.field("values"),
                  "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
        }
      }
      case "Gt", "Lt" -> {
        if (values != 1) {
          errors.add(
              required(
                  path.field("values"),
                  "must be specified single value when `operator` is 'Lt' or 'Gt'"));
        }
      }
      default ->
          errors.add(invalid(path.field("operator"), operator, "not a valid selector operator"));
    }
    String key = Trees.text(requirement, "key");
    Names.qualified(key).forEach(problem -> errors.add(invalid(path.field("key"), key, problem)));
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
    labelSelector(term.path("labelSelector"), path.field("labelSelector"), errors);
    String topology = Trees.text(term, "topologyKey");
    if (topology.isEmpty()) {
      errors.add(required(path.field("topologyKey"), "can not be empty"));
    } else {
      Names.qualified(topology)
          .forEach(problem -> errors.add(invalid(path.field("topologyKey"), topology, problem)));
    }
  }

  /** Checks of a label selector, wherever it stands. */
  public static void labelSelector(JsonNode selector, FieldPath path, List<FieldError> errors) {
    errors.addAll(Metadata.labels(path.field("matchLabels"), selector.path("matchLabels")));
    var expressions = Trees.objects(selector, "matchExpressions");
    for (int i = 0; i < expressions.size(); i++) {
      FieldPath at = path.field("matchExpressions").index(i);
      JsonNode expression = expressions.get(i);
      int values = expression.path("values").size();
      String operator = Trees.text(expression, "operator");
      switch (operator) {
        case "In", "NotIn" -> {
          if (values == 0) {
            errors.add(
                required(
                    at.field("values"), "must be specified when `operator` is 'In' or 'NotIn'"));
          }
        }
        case "Exists", "DoesNotExist" -> {
          if (values > 0) {
            errors.add(
                forbidden(
                    at.field("values"),
                    "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
          }
        }
        default ->
            errors.add(invalid(at.field("operator"), operator, "not a valid selector operator"));
      }
      String key = Trees.text(expression, "key");
      Names.qualified(key).forEach(problem -> errors.add(invalid(at.field("key"), key, problem)));
    }
  }

  void gates(JsonNode spec, FieldPath specPath) {
    var seen = new HashSet<String>();
    var gates = Trees.objects(spec, "schedulingGates");
    for (int i = 0; i < gates.size(); i++) {
      FieldPath path = specPath.field("schedulingGates").index(i);
      String name = Trees.text(gates.get(i), "name");
      Names.qualified(name).forEach(problem -> errors.add(invalid(path, name, problem)));
      if (!seen.add(name)) {
        errors.add(duplicate(path, name));
      }
    }
    var readiness = Trees.objects(spec, "readinessGates");
    for (int i = 0; i < readiness.size(); i++) {
      String type = Trees.text(readiness.get(i), "conditionType");
      FieldPath path = specPath.field("readinessGates").index(i).field("conditionType");
      Names.qualified(type).forEach(problem -> errors.add(invalid(path, type, problem)));
    }
  }
}
