package dev.regroup.server;

import dev.regroup.client.Headers;
import dev.regroup.server.access.Attributes;
import dev.regroup.server.access.Authentication;
import dev.regroup.server.access.Authenticator;
import dev.regroup.server.access.Authorization;
import dev.regroup.server.access.Authorizer;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.access.Identity;
import dev.regroup.server.wire.GroupResource;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.RequestInfo;
import dev.regroup.server.wire.Status;

/**
 * The first steps of every request: who asks, in whose name, and may they. The judgement is that of
 * the two ports; here are the order of the questions and Kubernetes' words for a refusal.
 */
record Access(Authenticator authenticator, Authorizer authorizer) {

  Identity authenticate(Credentials credentials) throws Refused {
    return switch (authenticator.authenticate(credentials)) {
      case Authentication.Proven(Identity identity) -> identity;
      case Authentication.Disproven _, Authentication.NotMine _ ->
          throw new Refused(Status.unauthorized());
    };
  }

  /** Returns who the request counts for, when they may do what it says. */
  Identity authorize(Identity sender, Headers headers, RequestInfo info) throws Refused {
    var impersonated = Impersonation.of(sender, headers);
    for (var right : impersonated.rights()) {
      demand(right);
    }
    demand(attributes(impersonated.identity(), info));
    return impersonated.identity();
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
      return new Attributes(
          identity,
          info.verb().wireName(),
          info.group(),
          info.version(),
          info.resource(),
          info.subresource(),
          info.namespace(),
          info.name(),
          "");
    }
    var verb =
        switch (info.verb()) {
          case CREATE -> "post";
          case UPDATE -> "put";
          case GET, LIST, WATCH, PATCH, DELETE, DELETECOLLECTION, OTHER -> info.verb().wireName();
        };
    return Attributes.ofPath(identity, verb, info.path());
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
