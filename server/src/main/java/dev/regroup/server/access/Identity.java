package dev.regroup.server.access;

import java.util.List;
import java.util.Map;
import java.util.Objects;

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
    return of(
        "system:serviceaccount:kube-system:" + name,
        "system:serviceaccounts",
        "system:serviceaccounts:kube-system",
        AUTHENTICATED);
  }

  public static Identity scheduler() {
    return of("system:kube-scheduler", AUTHENTICATED);
  }

  public static Identity node(String name) {
    return of("system:node:" + name, "system:nodes", AUTHENTICATED);
  }

  public boolean inGroup(String group) {
    return groups.contains(group);
  }
}
