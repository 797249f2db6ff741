package dev.regroup.server.rbac;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.access.Identity;
import dev.regroup.server.wire.GoText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Somebody a binding names, in the form that requests are looked up by: a user or a group. Service
 * accounts are users with a name of a certain form.
 *
 * @param text how a reason names them
 */
record RoleSubject(String key, String text) {
  private static final String USER = "user ";
  private static final String GROUP = "group ";

  /** Empty for what names nobody. */
  static Optional<RoleSubject> of(JsonNode subject) {
    var kind = Trees.text(subject, "kind");
    var name = Trees.text(subject, "name");
    return switch (kind) {
      case "User" -> Optional.of(new RoleSubject(USER + name, kind + " " + GoText.quote(name)));
      case "Group" -> Optional.of(new RoleSubject(GROUP + name, kind + " " + GoText.quote(name)));
      case "ServiceAccount" -> {
        var namespace = Trees.text(subject, "namespace");
        yield namespace.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new RoleSubject(
                    USER + Identity.SERVICE_ACCOUNT + namespace + ":" + name,
                    kind + " " + GoText.quote(name + "/" + namespace)));
      }
      default -> Optional.empty();
    };
  }

  /** Under which keys somebody is named. */
  static List<String> keys(Identity identity) {
    var keys = new ArrayList<String>(1 + identity.groups().size());
    keys.add(USER + identity.user());
    identity.groups().forEach(group -> keys.add(GROUP + group));
    return keys;
  }
}
