package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Bindings: one role that stays, and those who get it. */
final class RoleBindingRules implements KindRules {

  private static final String GROUP = "rbac.authorization.k8s.io";
  private static final FieldPath ROLE_REF = FieldPath.of("roleRef");

  private final RoleRules.Reach reach;

  RoleBindingRules(RoleRules.Reach reach) {
    this.reach = reach;
  }

  @Override
  public void fill(ObjectNode binding) {
    Trees.fill(Trees.child(binding, "roleRef"), "apiGroup", GROUP);
    for (ObjectNode subject : Trees.objects(binding, "subjects")) {
      switch (Trees.text(subject, "kind")) {
        case "User", "Group" -> Trees.fill(subject, "apiGroup", GROUP);
        default -> {} // service accounts are of the core group
      }
    }
  }

  @Override
  public List<FieldError> check(ObjectNode binding, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    role(binding.path("roleRef"), errors);
    var subjects = Trees.objects(binding, "subjects");
    for (int i = 0; i < subjects.size(); i++) {
      subject(subjects.get(i), FieldPath.of("subjects").index(i), errors);
    }
    if (old != null && !binding.path("roleRef").equals(old.path("roleRef"))) {
      errors.add(
          invalid(ROLE_REF, FieldError.internal(binding.path("roleRef")), "cannot change roleRef"));
    }
    return errors;
  }

  private void role(JsonNode role, List<FieldError> errors) {
    String group = Trees.text(role, "apiGroup");
    if (!group.equals(GROUP)) {
      errors.add(notSupported(ROLE_REF.field("apiGroup"), group, List.of(GROUP)));
    }
    var kinds =
        switch (reach) {
          case NAMESPACE -> List.of("Role", "ClusterRole");
          case CLUSTER -> List.of("ClusterRole");
        };
    String kind = Trees.text(role, "kind");
    if (!kinds.contains(kind)) {
      errors.add(notSupported(ROLE_REF.field("kind"), kind, kinds));
    }
    String name = Trees.text(role, "name");
    if (name.isEmpty()) {
      errors.add(required(ROLE_REF.field("name"), ""));
    } else {
      Metadata.pathSegment(name)
          .forEach(problem -> errors.add(invalid(ROLE_REF.field("name"), name, problem)));
    }
  }

  private void subject(ObjectNode subject, FieldPath path, List<FieldError> errors) {
    String name = Trees.text(subject, "name");
    if (name.isEmpty()) {
      errors.add(required(path.field("name"), ""));
    }
    String group = Trees.text(subject, "apiGroup");
    String kind = Trees.text(subject, "kind");
    switch (kind) {
      case "ServiceAccount" -> {
        if (!name.isEmpty()) {
          NameRules.subdomain(name)
              .forEach(problem -> errors.add(invalid(path.field("name"), name, problem)));
        }
        if (!group.isEmpty()) {
          errors.add(notSupported(path.field("apiGroup"), group, List.of("")));
        }
        boolean nowhere = Trees.text(subject, "namespace").isEmpty();
        if (nowhere && reach == RoleRules.Reach.CLUSTER) {
          errors.add(required(path.field("namespace"), ""));
        }
      }
      case "User", "Group" -> {
        if (!group.equals(GROUP)) {
          errors.add(notSupported(path.field("apiGroup"), group, List.of(GROUP)));
        }
      }
      default ->
          errors.add(
              notSupported(path.field("kind"), kind, List.of("ServiceAccount", "User", "Group")));
    }
  }
}
