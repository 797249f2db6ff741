package dev.regroup.server.admission;

import dev.regroup.api.cel.CelAuthorizer;
import dev.regroup.server.access.Attributes;
import dev.regroup.server.access.Authorization;
import dev.regroup.server.access.Authorizer;
import dev.regroup.server.access.Identity;
import java.util.Map;

/** The rights of the one who sent a request, or of a service account an expression names. */
record AskedAuthorizer(Authorizer authorizer, Identity asker) implements CelAuthorizer {

  @Override
  public Answer ask(Question question) {
    var identity = identity(question.account());
    var attributes =
        question.path().isEmpty()
            ? new Attributes(
                identity,
                question.verb(),
                question.group(),
                "*",
                question.resource(),
                question.subresource(),
                question.namespace(),
                question.name(),
                "")
            : Attributes.ofPath(identity, question.verb(), question.path());
    var decided = authorizer.decide(attributes);
    return new Answer(decided instanceof Authorization.Allow, decided.reason());
  }

  private Identity identity(String account) {
    int colon = account.indexOf(':');
    return colon < 0
        ? asker
        : Identity.serviceAccount(
            account.substring(0, colon), account.substring(colon + 1), "", Map.of());
  }
}
