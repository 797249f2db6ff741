package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.schema.Quantity;
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
  private static final Set<String> WHOLE =
      Set.of(
          "pods",
          "services",
          "replicationcontrollers",
          "resourcequotas",
          "secrets",
          "configmaps",
          "persistentvolumeclaims",
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
    for (var entry : spec.path("hard").properties()) {
      amount(entry.getKey(), entry.getValue().asText(), SPEC.field("hard"), errors);
    }
    scopes(spec, errors);
    if (old != null && !Trees.same(spec.path("scopes"), old.path("spec").path("scopes"))) {
      errors.add(invalid(SPEC.field("scopes"), spec.path("scopes"), "field is immutable"));
    }
    return errors;
  }

  private static void amount(String name, String text, FieldPath path, List<FieldError> errors) {
    FieldPath at = path.key(name);
    NameRules.qualified(name).forEach(problem -> errors.add(invalid(at, name, problem)));
    var amount = Quantity.of(text);
    if (amount.isPresent() && amount.get().negative()) {
      errors.add(invalid(at, text, "must be greater than or equal to 0"));
    }
    boolean counts = WHOLE.contains(name) || name.startsWith("count/");
    if (counts && amount.isPresent() && amount.get().amount().stripTrailingZeros().scale() > 0) {
      errors.add(invalid(at, text, "must be an integer"));
    }
  }

  private static void scopes(JsonNode spec, List<FieldError> errors) {
    var scopes = Trees.texts(spec, "scopes");
    for (String scope : scopes) {
      if (!SCOPES.contains(scope)) {
        errors.add(invalid(SPEC.field("scopes"), spec.path("scopes"), "unsupported scope"));
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
      String operator = Trees.text(expression, "operator");
      var operators = List.of("DoesNotExist", "Exists", "In", "NotIn");
      if (!operators.contains(operator)) {
        errors.add(notSupported(path.field("operator"), operator, operators));
      }
      boolean listed = operator.equals("In") || operator.equals("NotIn");
      if (listed && expression.path("values").isEmpty()) {
        errors.add(
            required(
                path.field("values"),
                "must be at least one value when `operator` is 'In' or 'NotIn' for scope"
                    + " selector"));
      }
    }
  }
}
