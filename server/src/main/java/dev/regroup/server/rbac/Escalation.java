package dev.regroup.server.rbac;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.access.Attributes;
import dev.regroup.server.access.Authorization;
import dev.regroup.server.access.Authorizer;
import dev.regroup.server.access.Identity;
import dev.regroup.server.rbac.RoleGrant.RoleKey;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.GoText;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import dev.regroup.server.write.WriteGuard;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nobody can give more than they have: who writes a role must hold all its rules, who binds one all
 * of that role's, unless the verbs {@code escalate} and {@code bind} are theirs.
 */
public final class Escalation implements WriteGuard {
  private final Authorizer authorizer;
  private final StoredRoles roles;

  public Escalation(Authorizer authorizer, StoredRoles roles) {
    this.authorizer = authorizer;
    this.roles = roles;
  }

  @Override
  public void check(Identity asker, ResourceType type, ObjectNode object, @Nullable ObjectNode old)
      throws Refused {
    boolean concerned = type.kind().group().equals(StoredRoles.GROUP);
    if (!concerned || asker.inGroup(Identity.MASTERS)) {
      return;
    }
    switch (type.kind().kind()) {
      case "Role", "ClusterRole" -> checkRole(asker, type, object, old);
      case "RoleBinding", "ClusterRoleBinding" -> checkBinding(asker, type, object, old);
      default -> {} // grants nothing
    }
  }

  private void checkRole(
      Identity asker, ResourceType type, ObjectNode role, @Nullable ObjectNode old) throws Refused {
    var namespace = Meta.text(role, "namespace");
    boolean onItsWayOut = old != null && withoutKeepers(old).equals(withoutKeepers(role));
    if (onItsWayOut || may(asker, "escalate", type.names().plural(), namespace, Meta.name(role))) {
      return;
    }
    var held = roles.held(asker, namespace);
    if (role.hasNonNull("aggregationRule")
        && !RuleCover.missing(held.rules(), PolicyRule.FULL_AUTHORITY).isEmpty()) {
      throw forbidden(type, role, "must have cluster-admin privileges to use the aggregationRule");
    }
    demand(asker, type, role, held, PolicyRule.listOf(role));
  }

  private void checkBinding(
      Identity asker, ResourceType type, ObjectNode binding, @Nullable ObjectNode old)
      throws Refused {
    var namespace = Meta.text(binding, "namespace");
    var role = RoleKey.of(binding.path("roleRef"), namespace);
    var plural = role.namespace().isEmpty() ? "clusterroles" : "roles";
    boolean onItsWayOut = old != null && withoutKeepers(old).equals(withoutKeepers(binding));
    if (onItsWayOut || may(asker, "bind", plural, namespace, role.name())) {
      return;
    }
    var rules = roles.book().rules(role);
    if (rules.isEmpty()) {
      throw new Refused(Status.notFound(type.groupResource(), role.name()));
    }
    var held = roles.held(asker, namespace);
    demand(asker, type, binding, held, rules.get());
  }

  /** Without what collectors of garbage write. */
  private static ObjectNode withoutKeepers(ObjectNode object) {
    var copy = object.deepCopy();
    Meta.of(copy)
        .remove(List.of("ownerReferences", "finalizers", "managedFields", "resourceVersion"));
    return copy;
  }

  private boolean may(Identity asker, String verb, String resource, String namespace, String name) {
    var wanted =
        new Attributes(asker, verb, StoredRoles.GROUP, "v1", resource, "", namespace, name, "");
    return authorizer.decide(wanted) instanceof Authorization.Allow;
  }

  private static void demand(
      Identity asker, ResourceType type, ObjectNode object, HeldRules held, List<PolicyRule> wanted)
      throws Refused {
    var missing = RuleCover.missing(held.rules(), wanted);
    if (missing.isEmpty()) {
      return;
    }
    var unresolved =
        held.missing().isEmpty()
            ? ""
            : "; resolution errors: [" + String.join(" ", held.missing()) + "]";
    throw forbidden(
        type,
        object,
        "user %s (groups=%s) is attempting to grant RBAC permissions not currently held:\n%s%s"
            .formatted(
                GoText.quote(asker.user()),
                PolicyRule.quoted(asker.groups()),
                RuleCover.text(missing),
                unresolved));
  }

  private static Refused forbidden(ResourceType type, ObjectNode object, String why) {
    return new Refused(Status.forbidden(type.groupResource(), Meta.name(object), why));
  }
}
