package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.container.ResourceNames;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Quotas: amounts that are not negative, scopes that there are and that stay. */
final class QuotaRules implements KindRules {
  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final List<String> SCOPES =
      List.of(
          "BestEffort",
          "CrossNamespacePodAffinity",
          "NotBestEffort",
          "NotTerminating",
          "PriorityClass",
          "Terminating",
          "VolumeAttributesClass");
  private static final Set<String> PRESENT_OR_NOT =
      Set.of(
          "BestEffort",
          "NotBestEffort",
          "Terminating",
          "NotTerminating",
          "CrossNamespacePodAffinity");

  /** What a quota can limit without a domain in its name, and whose part it is. */
  private static final Set<String> OF_PODS =
      Set.of(
          "cpu",
          "memory",
          "limits.cpu",
          "limits.memory",
          "requests.cpu",
          "requests.memory",
          "pods");

  private static final Set<String> OF_CLAIMS = Set.of("persistentvolumeclaims", "requests.storage");
  private static final Set<String> OTHERS =
      Set.of(
          "ephemeral-storage",
          "requests.ephemeral-storage",
          "limits.ephemeral-storage",
          "resourcequotas",
          "services",
          "replicationcontrollers",
          "secrets",
          "configmaps",
          "services.nodeports",
          "services.loadbalancers");

  @Override
  public boolean hasStatus() {
    return true;
  }

  @Override
  public void begin(ObjectNode quota) {
    quota.putObject("status");
  }

  @Override
  public List<FieldError> check(ObjectNode quota, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    JsonNode spec = quota.path("spec");
    amounts(spec.path("hard"), SPEC.field("hard"), errors);
    scopes(spec, errors);
    if (old != null && !Trees.same(spec.path("scopes"), old.path("spec").path("scopes"))) {
      errors.add(invalid(SPEC.field("scopes"), spec.path("scopes"), "field is immutable"));
    }
    return errors;
  }

  @Override
  public List<FieldError> checkStatus(ObjectNode quota, ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    for (String part : List.of("hard", "used")) {
      amounts(quota.path("status").path(part), FieldPath.of("status", part), errors);
    }
    return errors;
  }

  private static void amounts(JsonNode amounts, FieldPath path, List<FieldError> errors) {
    for (var entry : amounts.properties()) {
      String name = entry.getKey();
      FieldPath at = path.key(name);
      var problems = NameRules.qualified(name);
      problems.forEach(problem -> errors.add(invalid(at, name, problem)));
      if (!name.contains("/")) {
        if (problems.isEmpty() && !ResourceNames.isStandard(name)) {
          errors.add(invalid(at, name, "must be a standard resource type or fully qualified"));
        }
        if (!isStandard(name)) {
          errors.add(invalid(at, name, "must be a standard resource for quota"));
        }
      }
      errors.addAll(ResourceNames.amount(at, name, entry.getValue().asText()));
    }
  }

  private static boolean isStandard(String name) {
    return OF_PODS.contains(name)
        || OF_CLAIMS.contains(name)
        || OTHERS.contains(name)
        || name.startsWith("requests.hugepages-")
        || name.startsWith("hugepages-");
  }

  private static boolean fits(String scope, String name) {
    return switch (scope) {
      case "BestEffort" -> name.equals("pods");
      case "Terminating",
          "NotTerminating",
          "NotBestEffort",
          "PriorityClass",
          "CrossNamespacePodAffinity" ->
          OF_PODS.contains(name);
      case "VolumeAttributesClass" -> OF_CLAIMS.contains(name);
      default -> true;
    };
  }

  /** How often a scope stands beside an amount it says nothing about. */
  private static long misfits(JsonNode spec, String scope) {
    return Trees.keys(spec, "hard").stream()
        .filter(name -> isStandard(name) && !fits(scope, name))
        .count();
  }

  private static void scopes(JsonNode spec, List<FieldError> errors) {
    var scopes = Trees.texts(spec, "scopes");
    for (String scope : scopes) {
      if (!SCOPES.contains(scope)) {
        errors.add(invalid(SPEC.field("scopes"), spec.path("scopes"), "unsupported scope"));
      }
      for (long i = misfits(spec, scope); i > 0; i--) {
        errors.add(
            invalid(
                SPEC.field("scopes"),
                spec.path("scopes"),
                "unsupported scope applied to resource"));
      }
    }
    boolean both =
        (scopes.contains("BestEffort") && scopes.contains("NotBestEffort"))
            || (scopes.contains("Terminating") && scopes.contains("NotTerminating"));
    if (both) {
      errors.add(invalid(SPEC.field("scopes"), spec.path("scopes"), "conflicting scopes"));
    }
    FieldPath path = SPEC.field("scopeSelector", "matchExpressions");
    for (ObjectNode expression : Trees.objects(spec, "scopeSelector", "matchExpressions")) {
      String scope = Trees.text(expression, "scopeName");
      if (!SCOPES.contains(scope)) {
        errors.add(invalid(path.field("scopeName"), scope, "unsupported scope"));
      }
      for (long i = misfits(spec, scope); i > 0; i--) {
        errors.add(
            invalid(
                path,
                FieldError.internal(spec.path("scopeSelector")),
                "unsupported scope applied to resource"));
      }
      String operator = Trees.text(expression, "operator");
      if (PRESENT_OR_NOT.contains(scope) && !operator.equals("Exists")) {
        errors.add(
            invalid(
                path.field("operator"),
                operator,
                "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating,"
                    + " ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort,"
                    + " ResourceQuotaScopeNotBestEffort or"
                    + " ResourceQuotaScopeCrossNamespacePodAffinity"));
      }
      operator(expression, operator, path, errors);
    }
  }

  private static void operator(
      ObjectNode expression, String operator, FieldPath path, List<FieldError> errors) {
    JsonNode values = expression.path("values");
    switch (operator) {
      case "In", "NotIn" -> {
        if (values.isEmpty()) {
          errors.add(
              required(
                  path.field("values"),
                  "must be at least one value when `operator` is 'In' or 'NotIn' for scope"
                      + " selector"));
        }
      }
      case "Exists", "DoesNotExist" -> {
        if (!values.isEmpty()) {
          errors.add(
              invalid(
                  path.field("values"),
                  values,
                  "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope"
                      + " selector"));
        }
      }
      default ->
          errors.add(invalid(path.field("operator"), operator, "not a valid selector operator"));
    }
  }
}
