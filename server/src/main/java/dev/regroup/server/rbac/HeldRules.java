package dev.regroup.server.rbac;

import dev.regroup.server.rbac.RoleGrant.RoleKey;
import java.util.ArrayList;
import java.util.List;

/** Collects all rules somebody has, and the texts about roles that are bound and not there. */
public final class HeldRules implements RoleBook.Reader {
  private final List<PolicyRule> rules = new ArrayList<>();
  private final List<String> missing = new ArrayList<>();

  @Override
  public boolean rule(RoleGrant grant, RoleSubject subject, PolicyRule rule) {
    rules.add(rule);
    return true;
  }

  @Override
  public void missing(RoleKey role) {
    missing.add(RbacAuthorizer.notFound(role));
  }

  public List<PolicyRule> rules() {
    return List.copyOf(rules);
  }

  public List<String> missing() {
    return List.copyOf(missing);
  }
}
