package dev.regroup.server;

import dev.regroup.client.Headers;
import dev.regroup.server.wire.GroupResource;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The {@code Impersonate-*} headers: an administrator asks as somebody else. */
final class Impersonation {
  private static final String SERVICE_ACCOUNT = "system:serviceaccount:";
  private static final String EXTRA = "impersonate-extra-";

  private Impersonation() {}

  /** Returns who the request counts for. */
  static Identity of(Identity identity, Headers headers, Authorizer authorizer) throws Refused {
    var user = headers.first("impersonate-user").orElse("");
    var groups = headers.all("impersonate-group");
    var uid = headers.first("impersonate-uid").orElse("");
    var extra = extra(headers);
    if (user.isEmpty()) {
      if (!groups.isEmpty() || !uid.isEmpty() || !extra.isEmpty()) {
        throw new Refused(
            Status.internalError("requested impersonation without impersonating a user"));
      }
      return identity;
    }
    if (!authorizer.mayImpersonate(identity)) {
      throw new Refused(
          Status.forbidden(
              new GroupResource("", "users"),
              user,
              "User \"%s\" cannot impersonate resource \"users\" in API group \"\" at the cluster scope"
                  .formatted(identity.user())));
    }
    return new Identity(user, uid, groups(user, groups), extra);
  }

  private static List<String> groups(String user, List<String> asked) {
    var groups = new ArrayList<>(asked);
    if (asked.isEmpty() && user.startsWith(SERVICE_ACCOUNT)) {
      var rest = user.substring(SERVICE_ACCOUNT.length());
      int colon = rest.indexOf(':');
      groups.add("system:serviceaccounts");
      if (colon > 0) {
        groups.add("system:serviceaccounts:" + rest.substring(0, colon));
      }
    }
    boolean known =
        groups.contains(Identity.AUTHENTICATED) || groups.contains(Identity.UNAUTHENTICATED);
    if (!known) {
      groups.add(
          user.equals(Identity.ANONYMOUS.user())
              ? Identity.UNAUTHENTICATED
              : Identity.AUTHENTICATED);
    }
    return groups;
  }

  /** As Kubernetes: what is badly encoded is taken as it stands. */
  private static String key(String encoded) {
    try {
      return URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return encoded;
    }
  }

  private static Map<String, List<String>> extra(Headers headers) {
    var extra = new HashMap<String, List<String>>();
    headers
        .fields()
        .forEach((name, values) -> {
          if (name.startsWith(EXTRA)) {
            extra.put(key(name.substring(EXTRA.length())).toLowerCase(Locale.ROOT), values);
          }
        });
    return extra;
  }
}
