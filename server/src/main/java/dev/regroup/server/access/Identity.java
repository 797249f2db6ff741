package dev.regroup.server.access;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Who asks, as Kubernetes names it: a user with groups. An {@link Authenticator} finds it out from
 * the credentials of a request.
 *
 * @param uid empty when the way of authentication knows none
 */
public record Identity(
    String user, String uid, List<String> groups, Map<String, List<String>> extra) {

  public static final String MASTERS = "system:masters";
  public static final String AUTHENTICATED = "system:authenticated";
  public static final String UNAUTHENTICATED = "system:unauthenticated";

  /** How the user name of a service account begins; its namespace and its name follow. */
  public static final String SERVICE_ACCOUNT = "system:serviceaccount:";

  private static final String NODE = "system:node:";
  private static final String NODES = "system:nodes";

  public static final Identity ANONYMOUS = of("system:anonymous", UNAUTHENTICATED);

  public Identity {
    Objects.requireNonNull(user, "user");
    Objects.requireNonNull(uid, "uid");
    groups = List.copyOf(groups);
    extra = Map.copyOf(extra);
  }

  /** A user with exactly these groups. */
  public static Identity of(String user, String... groups) {
    return new Identity(user, "", List.of(groups), Map.of());
  }

  /** The administrator, as the generated client certificate names it. */
  public static Identity admin() {
    return of("kubernetes-admin", MASTERS, AUTHENTICATED);
  }

  /** A controller under its own service account, as the controller manager runs them. */
  public static Identity controller(String name) {
    return serviceAccount("kube-system", name, "", Map.of());
  }

  /** A service account with the groups all of them have. */
  public static Identity serviceAccount(
      String namespace, String name, String uid, Map<String, List<String>> extra) {
    return new Identity(
        SERVICE_ACCOUNT + namespace + ":" + name,
        uid,
        List.of("system:serviceaccounts", "system:serviceaccounts:" + namespace, AUTHENTICATED),
        extra);
  }

  public static Identity scheduler() {
    return of("system:kube-scheduler", AUTHENTICATED);
  }

  public static Identity node(String name) {
    return of(NODE + name, NODES, AUTHENTICATED);
  }

  /** The node this is, if it is one. */
  public Optional<String> nodeName() {
    return user.startsWith(NODE) && user.length() > NODE.length() && inGroup(NODES)
        ? Optional.of(user.substring(NODE.length()))
        : Optional.empty();
  }

  public boolean inGroup(String group) {
    return groups.contains(group);
  }
}
