package dev.regroup.rules.jobset;

import java.util.Objects;

/**
 * What a pod under exclusive placement says of its place (JS-91).
 *
 * @param topology key of the nodes' label whose values are the domains
 * @param domain where the pod's node selector sends it; empty when it says nothing
 */
public record ExclusivePlace(Role role, String topology, String domain) {

  /** The first pod of a Job chooses the domain, the others go there. */
  public enum Role {
    LEADER,
    FOLLOWER
  }

  public ExclusivePlace {
    Objects.requireNonNull(role, "role");
    Objects.requireNonNull(topology, "topology");
    Objects.requireNonNull(domain, "domain");
  }
}
