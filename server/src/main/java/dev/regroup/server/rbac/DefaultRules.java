package dev.regroup.server.rbac;

import dev.regroup.api.tree.Trees;
import dev.regroup.server.access.Attributes;
import dev.regroup.server.resource.Meta;
import java.util.List;

/** The rules of a default cluster role as they are at the beginning, whatever is stored. */
public final class DefaultRules {
  private final List<PolicyRule> rules;

  private DefaultRules(List<PolicyRule> rules) {
    this.rules = rules;
  }

  public static DefaultRules of(String clusterRole) {
    return DefaultRoles.all().stream()
        .filter(one -> Meta.name(one).equals(clusterRole))
        .filter(one -> Trees.text(one, "kind").equals("ClusterRole"))
        .findFirst()
        .map(role -> new DefaultRules(PolicyRule.listOf(role)))
        .orElseThrow();
  }

  public boolean allow(Attributes wanted) {
    return rules.stream().anyMatch(rule -> rule.allows(wanted));
  }
}
