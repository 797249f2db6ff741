package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Selectors;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Roles: every rule is about resources or, in a cluster role, about paths. */
final class RoleRules implements KindRules {

  /** Where the rules of a role hold. */
  enum Reach {
    NAMESPACE,
    CLUSTER
  }

  private final Reach reach;

  RoleRules(Reach reach) {
    this.reach = reach;
  }

  @Override
  public List<FieldError> check(ObjectNode role, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    var rules = Trees.objects(role, "rules");
    for (int i = 0; i < rules.size(); i++) {
      rule(rules.get(i), FieldPath.of("rules").index(i), errors);
    }
    if (reach == Reach.CLUSTER && role.hasNonNull("aggregationRule")) {
      FieldPath path = FieldPath.of("aggregationRule", "clusterRoleSelectors");
      var selectors = Trees.objects(role, "aggregationRule", "clusterRoleSelectors");
      if (selectors.isEmpty()) {
        errors.add(
            required(
                path, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
      }
      for (int i = 0; i < selectors.size(); i++) {
        Selectors.check(selectors.get(i), path.index(i), errors);
      }
    }
    return errors;
  }

  private void rule(ObjectNode rule, FieldPath path, List<FieldError> errors) {
    if (rule.path("verbs").isEmpty()) {
      errors.add(required(path.field("verbs"), "verbs must contain at least one value"));
    }
    var paths = rule.path("nonResourceURLs");
    if (!paths.isEmpty()) {
      FieldPath at = path.field("nonResourceURLs");
      if (reach == Reach.NAMESPACE) {
        errors.add(invalid(at, paths, "namespaced rules cannot apply to non-resource URLs"));
      }
      boolean both =
          !rule.path("apiGroups").isEmpty()
              || !rule.path("resources").isEmpty()
              || !rule.path("resourceNames").isEmpty();
      if (both) {
        errors.add(
            invalid(
                at, paths, "rules cannot apply to both regular resources and non-resource URLs"));
      }
      return;
    }
    if (rule.path("apiGroups").isEmpty()) {
      errors.add(
          required(path.field("apiGroups"), "resource rules must supply at least one api group"));
    }
    if (rule.path("resources").isEmpty()) {
      errors.add(
          required(path.field("resources"), "resource rules must supply at least one resource"));
    }
  }
}
