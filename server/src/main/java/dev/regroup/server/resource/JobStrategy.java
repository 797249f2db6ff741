package dev.regroup.server.resource;

import java.util.Optional;

/** A deleted Job leaves its pods behind unless the delete says otherwise (JB-26). */
final class JobStrategy implements KindStrategy {

  @Override
  public Optional<String> orphanWarning() {
    return Optional.of(
        "child pods are preserved by default when jobs are deleted; set"
            + " propagationPolicy=Background to remove them or set propagationPolicy=Orphan to"
            + " suppress this warning");
  }
}
