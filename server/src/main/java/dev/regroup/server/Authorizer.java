package dev.regroup.server;

import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.RequestInfo;
import dev.regroup.server.wire.Status;
import dev.regroup.server.wire.Verb;
import java.util.Set;

/**
 * Who may do what, until roles exist: the administrator and the parts of this program everything,
 * others only read what describes the server. The refusals are those of Kubernetes.
 */
final class Authorizer {
  private static final Set<String> PARTS =
      Set.of("system:kube-scheduler", "system:kube-controller-manager", "system:apiserver");
  private static final Set<String> PART_GROUPS =
      Set.of("system:nodes", "system:serviceaccounts:kube-system");
  private static final Set<String> FOR_ALL =
      Set.of("/healthz", "/livez", "/readyz", "/version", "/version/");

  void check(Identity identity, RequestInfo info) throws Refused {
    if (!allows(identity, info)) {
      throw new Refused(
          info.isResource() ? forbidden(identity, info) : forbiddenPath(identity, info));
    }
  }

  boolean mayImpersonate(Identity identity) {
    return identity.inGroup(Identity.MASTERS);
  }

  private static boolean allows(Identity identity, RequestInfo info) {
    boolean part =
        identity.inGroup(Identity.MASTERS)
            || PARTS.contains(identity.user())
            || identity.groups().stream().anyMatch(PART_GROUPS::contains);
    if (part) {
      return true;
    }
    if (info.isResource() || info.verb() != Verb.GET) {
      return false;
    }
    return FOR_ALL.contains(info.path())
        || (identity.inGroup(Identity.AUTHENTICATED) && describesServer(info.path()));
  }

  private static boolean describesServer(String path) {
    return under(path, "/api") || under(path, "/apis") || under(path, "/openapi");
  }

  private static boolean under(String path, String root) {
    return path.equals(root) || path.startsWith(root + "/");
  }

  private static Status forbidden(Identity identity, RequestInfo info) {
    var resource =
        info.subresource().isEmpty() ? info.resource() : info.resource() + "/" + info.subresource();
    var where =
        info.namespace().isEmpty()
            ? "at the cluster scope"
            : "in the namespace \"" + info.namespace() + "\"";
    return Status.forbidden(
        info.groupResource(),
        info.name(),
        "User \"%s\" cannot %s resource \"%s\" in API group \"%s\" %s"
            .formatted(identity.user(), info.verb().wireName(), resource, info.group(), where));
  }

  private static Status forbiddenPath(Identity identity, RequestInfo info) {
    var verb =
        switch (info.verb()) {
          case CREATE -> "post";
          case UPDATE -> "put";
          case GET, LIST, WATCH, PATCH, DELETE, DELETECOLLECTION, OTHER -> info.verb().wireName();
        };
    return Status.forbiddenPath(
        "User \"" + identity.user() + "\" cannot " + verb + " path \"" + info.path() + "\"");
  }
}
