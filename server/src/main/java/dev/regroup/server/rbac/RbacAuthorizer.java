package dev.regroup.server.rbac;

import dev.regroup.server.access.Attributes;
import dev.regroup.server.access.Authorization;
import dev.regroup.server.access.Authorizer;
import dev.regroup.server.rbac.RoleGrant.RoleKey;
import dev.regroup.server.wire.GoText;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Allows what a rule of a role allows that is bound to who asks; has no opinion otherwise. */
public final class RbacAuthorizer implements Authorizer {
  private final Supplier<RoleBook> book;

  public RbacAuthorizer(StoredRoles roles) {
    this(roles::book);
  }

  RbacAuthorizer(Supplier<RoleBook> book) {
    this.book = book;
  }

  @Override
  public Authorization decide(Attributes attributes) {
    var search = new Search(attributes);
    book.get().read(attributes.identity(), attributes.namespace(), search);
    var found = search.found;
    if (found != null) {
      return new Authorization.Allow("RBAC: allowed by " + found);
    }
    return new Authorization.NoOpinion(
        search.missing.isEmpty() ? "" : "RBAC: " + GoText.aggregate(search.missing));
  }

  /** Looks for the first rule that allows it. */
  private static final class Search implements RoleBook.Reader {
    private final Attributes wanted;
    private final Set<String> missing = new LinkedHashSet<>();
    private @Nullable String found;

    private Search(Attributes wanted) {
      this.wanted = wanted;
    }

    @Override
    public boolean rule(RoleGrant grant, RoleSubject subject, PolicyRule rule) {
      if (rule.allows(wanted)) {
        found = grant.text(subject);
        return false;
      }
      return true;
    }

    @Override
    public void missing(RoleKey role) {
      missing.add(notFound(role));
    }
  }

  static String notFound(RoleKey role) {
    var resource = role.namespace().isEmpty() ? "clusterrole" : "role";
    return resource + "." + StoredRoles.GROUP + " " + GoText.quote(role.name()) + " not found";
  }
}
