package dev.regroup.server.rbac;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.wire.GoText;
import java.util.List;
import java.util.Optional;

/**
 * What a binding says: these get that role, in one namespace or, when it is empty, everywhere.
 *
 * @param role where the {@link RoleBook} has it
 */
record RoleGrant(String namespace, String name, RoleKey role, List<RoleSubject> subjects) {

  /** A role or, without a namespace, a cluster role. */
  record RoleKey(String namespace, String name) {

    /** As the reference of a binding in this namespace means it. */
    static RoleKey of(JsonNode roleRef, String namespace) {
      return new RoleKey(
          Trees.text(roleRef, "kind").equals("Role") ? namespace : "", Trees.text(roleRef, "name"));
    }

    String kind() {
      return namespace.isEmpty() ? "ClusterRole" : "Role";
    }
  }

  RoleGrant {
    subjects = List.copyOf(subjects);
  }

  static RoleGrant of(JsonNode binding) {
    var namespace = Trees.text(binding, "metadata", "namespace");
    return new RoleGrant(
        namespace,
        Trees.text(binding, "metadata", "name"),
        RoleKey.of(binding.path("roleRef"), namespace),
        Trees.objects(binding, "subjects").stream()
            .map(RoleSubject::of)
            .flatMap(Optional::stream)
            .toList());
  }

  /** The reason of a right, as Kubernetes words it. */
  String text(RoleSubject subject) {
    var binding =
        namespace.isEmpty()
            ? "ClusterRoleBinding " + GoText.quote(name)
            : "RoleBinding " + GoText.quote(name + "/" + namespace);
    return binding
        + " of "
        + role.kind()
        + " "
        + GoText.quote(role.name())
        + " to "
        + subject.text();
  }
}
