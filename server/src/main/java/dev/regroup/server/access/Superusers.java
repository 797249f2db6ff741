package dev.regroup.server.access;

/** Who is in the group of masters may do everything, whatever roles say. */
public final class Superusers implements Authorizer {

  @Override
  public Authorization decide(Attributes attributes) {
    return attributes.identity().inGroup(Identity.MASTERS)
        ? new Authorization.Allow("")
        : new Authorization.NoOpinion("");
  }
}
