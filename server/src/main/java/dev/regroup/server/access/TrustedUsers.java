package dev.regroup.server.access;

import java.util.Set;

/**
 * The administrator may do everything; the parts of this program too, but not in the name of
 * others.
 */
final class TrustedUsers implements Authorizer {
  private static final Set<String> PARTS =
      Set.of("system:kube-scheduler", "system:kube-controller-manager", "system:apiserver");
  private static final Set<String> PART_GROUPS =
      Set.of("system:nodes", "system:serviceaccounts:kube-system");

  @Override
  public Authorization decide(Attributes attributes) {
    var identity = attributes.identity();
    boolean trusted =
        identity.inGroup(Identity.MASTERS)
            || (isPart(identity) && !attributes.verb().equals(Attributes.IMPERSONATE));
    return trusted ? new Authorization.Allow("") : new Authorization.NoOpinion("");
  }

  private static boolean isPart(Identity identity) {
    return PARTS.contains(identity.user())
        || identity.groups().stream().anyMatch(PART_GROUPS::contains);
  }
}
