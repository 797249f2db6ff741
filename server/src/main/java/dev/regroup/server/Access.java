package dev.regroup.server;

import dev.regroup.api.admission.field.Metadata;
import dev.regroup.client.Headers;
import dev.regroup.server.access.Attributes;
import dev.regroup.server.access.Authentication;
import dev.regroup.server.access.Authenticator;
import dev.regroup.server.access.Authorization;
import dev.regroup.server.access.Authorizer;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.access.Identity;
import dev.regroup.server.select.FieldSelector;
import dev.regroup.server.select.SelectorSyntax;
import dev.regroup.server.wire.GroupResource;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.RequestInfo;
import dev.regroup.server.wire.Status;
import dev.regroup.server.wire.Verb;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The first steps of every request: who asks, in whose name, and may they. The judgement is that of
 * the two ports; here are the order of the questions and Kubernetes' words for a refusal.
 */
record Access(Authenticator authenticator, Authorizer authorizer) {
  private static final Set<String> TALKS = Set.of("attach", "exec", "portforward");
  private static final Set<String> PARTS = Set.of("system:kube-scheduler", "system:apiserver");
  private static final Set<String> PART_GROUPS =
      Set.of(Identity.MASTERS, "system:nodes", "system:serviceaccounts:kube-system");

  Identity authenticate(Credentials credentials) throws Refused {
    return switch (authenticator.authenticate(credentials)) {
      case Authentication.Proven(Identity identity) -> identity;
      case Authentication.Disproven _, Authentication.NotMine _ ->
          throw new Refused(Status.unauthorized());
    };
  }

  /**
   * Returns who the request counts for, when they may do what it says. Parts of this process may do
   * everything in their own name: no role that somebody changes can stop them, and nothing is
   * looked up for what is known.
   */
  Identity authorize(Credentials credentials, Identity sender, Headers headers, RequestInfo info)
      throws Refused {
    var impersonated = Impersonation.of(sender, headers);
    boolean forItself = impersonated.rights().isEmpty();
    if (forItself && credentials.vouched().isPresent() && isPart(sender)) {
      return sender;
    }
    for (var right : impersonated.rights()) {
      demand(right);
    }
    demand(attributes(impersonated.identity(), info));
    if (info.verb() == Verb.GET && isTalk(info)) {
      demand(attributes(impersonated.identity(), info.with(Verb.CREATE)));
    }
    return impersonated.identity();
  }

  /** A name under which Kubernetes runs its own parts, and this program too. */
  private static boolean isPart(Identity identity) {
    return PARTS.contains(identity.user()) || !Collections.disjoint(identity.groups(), PART_GROUPS);
  }

  /** Reading is not enough for a talk, which a WebSocket begins with a GET: it acts. */
  private static boolean isTalk(RequestInfo info) {
    return info.group().isEmpty()
        && info.resource().equals("pods")
        && TALKS.contains(info.subresource());
  }

  private void demand(Attributes attributes) throws Refused {
    switch (authorizer.decide(attributes)) {
      case Authorization.Allow _ -> {}
      case Authorization.Deny(String reason) -> throw forbidden(attributes, reason);
      case Authorization.NoOpinion(String reason) -> throw forbidden(attributes, reason);
    }
  }

  private static Attributes attributes(Identity identity, RequestInfo info) {
    if (info.isResource()) {
      var selected = selected(info);
      return new Attributes(
          identity,
          info.verb().wireName(),
          info.group(),
          info.version(),
          info.resource(),
          info.subresource(),
          info.namespace(),
          name(info, selected),
          "",
          selected);
    }
    var verb =
        switch (info.verb()) {
          case CREATE -> "post";
          case UPDATE -> "put";
          case GET, LIST, WATCH, PATCH, DELETE, DELETECOLLECTION, OTHER -> info.verb().wireName();
        };
    return Attributes.ofPath(identity, verb, info.path());
  }

  /** What a request for many asks for; a selector that makes no sense is refused later. */
  private static Map<String, String> selected(RequestInfo info) {
    var selector = info.query().first("fieldSelector").orElse("");
    boolean ofMany =
        switch (info.verb()) {
          case LIST, WATCH, DELETECOLLECTION -> true;
          case GET, CREATE, UPDATE, PATCH, DELETE, OTHER -> false;
        };
    if (selector.isEmpty() || !ofMany) {
      return Map.of();
    }
    var selected = new HashMap<String, String>();
    try {
      for (var term : FieldSelector.parse(selector).terms()) {
        if (term.equal()) {
          selected.put(term.field(), term.value());
        }
      }
    } catch (SelectorSyntax e) {
      return Map.of();
    }
    return selected;
  }

  /** A request for many that selects one name is about that name. */
  private static String name(RequestInfo info, Map<String, String> selected) {
    if (info.verb() == Verb.DELETECOLLECTION) {
      return info.name();
    }
    var name = info.name().isEmpty() ? selected.getOrDefault("metadata.name", "") : info.name();
    return info.name().isEmpty() && !Metadata.pathSegment(name).isEmpty() ? "" : name;
  }

  private static Refused forbidden(Attributes wanted, String reason) {
    var user = wanted.identity().user();
    var why = reason.isEmpty() ? "" : ": " + reason;
    if (!wanted.isResource()) {
      return new Refused(
          Status.forbiddenPath(
              "User \"%s\" cannot %s path \"%s\"".formatted(user, wanted.verb(), wanted.path())
                  + why));
    }
    var resource =
        wanted.subresource().isEmpty()
            ? wanted.resource()
            : wanted.resource() + "/" + wanted.subresource();
    var where =
        wanted.namespace().isEmpty()
            ? "at the cluster scope"
            : "in the namespace \"" + wanted.namespace() + "\"";
    return new Refused(
        Status.forbidden(
            new GroupResource(wanted.group(), wanted.resource()),
            wanted.name(),
            "User \"%s\" cannot %s resource \"%s\" in API group \"%s\" %s"
                    .formatted(user, wanted.verb(), resource, wanted.group(), where)
                + why));
  }
}
