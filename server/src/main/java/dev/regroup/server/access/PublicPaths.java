package dev.regroup.server.access;

import java.util.List;
import java.util.Set;

/** What describes the server: its health for everybody, its documents for who is known. */
final class PublicPaths implements Authorizer {
  private static final Set<String> FOR_ALL =
      Set.of("/healthz", "/livez", "/readyz", "/version", "/version/");
  private static final List<String> FOR_KNOWN = List.of("/api", "/apis", "/openapi");

  @Override
  public Authorization decide(Attributes attributes) {
    boolean open =
        !attributes.isResource()
            && attributes.verb().equals("get")
            && (FOR_ALL.contains(attributes.path())
                || (attributes.identity().inGroup(Identity.AUTHENTICATED)
                    && FOR_KNOWN.stream().anyMatch(root -> under(attributes.path(), root))));
    return open ? new Authorization.Allow("") : new Authorization.NoOpinion("");
  }

  private static boolean under(String path, String root) {
    return path.equals(root) || path.startsWith(root + "/");
  }
}
