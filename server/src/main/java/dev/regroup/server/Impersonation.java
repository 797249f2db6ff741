package dev.regroup.server;

import dev.regroup.client.Headers;
import dev.regroup.server.access.Attributes;
import dev.regroup.server.access.Identity;
import dev.regroup.server.wire.GoText;
import dev.regroup.server.wire.Refused;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The {@code Impersonate-*} headers: somebody asks as somebody else.
 *
 * @param identity who the request counts for
 * @param rights what the one who sent it must be allowed for that; empty when they ask for
 *     themselves
 */
record Impersonation(Identity identity, List<Attributes> rights) {
  private static final String EXTRA = "impersonate-extra-";
  private static final String AUTHENTICATION = "authentication.k8s.io";

  static Impersonation of(Identity sender, Headers headers) throws Refused {
    var user = headers.first("impersonate-user").orElse("");
    var groups = headers.all("impersonate-group");
    var uid = headers.first("impersonate-uid").orElse("");
    var extra = extra(headers);
    if (user.isEmpty()) {
      if (!groups.isEmpty() || !uid.isEmpty() || !extra.isEmpty()) {
        throw Refused.badRequest(
            "requested " + goUser(uid, groups, extra) + " without impersonating a user name");
      }
      return new Impersonation(sender, List.of());
    }
    var rights = new ArrayList<Attributes>();
    rights.add(ofUser(sender, user));
    groups.forEach(group -> rights.add(right(sender, "", "groups", "", "", group)));
    if (!uid.isEmpty()) {
      rights.add(right(sender, AUTHENTICATION, "uids", "", "", uid));
    }
    extra.forEach((key, values) ->
        values.forEach(
            value -> rights.add(right(sender, AUTHENTICATION, "userextras", key, "", value))));
    return new Impersonation(new Identity(user, uid, groups(user, groups), extra), rights);
  }

  /** Who is meant, as Go prints a user without a name. */
  private static String goUser(String uid, List<String> groups, Map<String, List<String>> extra) {
    var more = new ArrayList<String>();
    extra.forEach((key, values) -> more.add(GoText.quote(key) + ":" + goTexts(values)));
    return "&user.DefaultInfo{Name:\"\", UID:%s, Groups:%s, Extra:map[string][]string%s}"
        .formatted(
            GoText.quote(uid),
            goTexts(groups),
            extra.isEmpty() ? "(nil)" : "{" + String.join(", ", more) + "}");
  }

  private static String goTexts(List<String> texts) {
    return "[]string"
        + (texts.isEmpty()
            ? "(nil)"
            : "{" + String.join(", ", texts.stream().map(GoText::quote).toList()) + "}");
  }

  private static Attributes ofUser(Identity sender, String user) {
    if (user.startsWith(Identity.SERVICE_ACCOUNT)) {
      var rest = user.substring(Identity.SERVICE_ACCOUNT.length());
      int colon = rest.indexOf(':');
      if (colon > 0) {
        var namespace = rest.substring(0, colon);
        return right(sender, "", "serviceaccounts", "", namespace, rest.substring(colon + 1));
      }
    }
    return right(sender, "", "users", "", "", user);
  }

  private static Attributes right(
      Identity sender,
      String group,
      String resource,
      String subresource,
      String namespace,
      String name) {
    return new Attributes(
        sender, Attributes.IMPERSONATE, group, "v1", resource, subresource, namespace, name, "");
  }

  private static List<String> groups(String user, List<String> asked) {
    var groups = new ArrayList<>(asked);
    if (asked.isEmpty() && user.startsWith(Identity.SERVICE_ACCOUNT)) {
      var rest = user.substring(Identity.SERVICE_ACCOUNT.length());
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
    var extra = new TreeMap<String, List<String>>();
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
