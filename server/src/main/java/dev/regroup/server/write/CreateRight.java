package dev.regroup.server.write;

import dev.regroup.server.access.Attributes;
import dev.regroup.server.access.Authorization;
import dev.regroup.server.access.Authorizer;
import dev.regroup.server.body.Call;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;

/** The right to create, demanded when somebody who may change an object finds none. */
public record CreateRight(Authorizer authorizer) {

  void demand(Call call, ResourceType type) throws Refused {
    var info = call.info();
    var wanted =
        new Attributes(
            call.asker(),
            "create",
            info.group(),
            info.version(),
            info.resource(),
            info.subresource(),
            info.namespace(),
            info.name(),
            "");
    switch (authorizer.decide(wanted)) {
      case Authorization.Allow _ -> {}
      case Authorization.Deny(String reason) -> throw forbidden(call, type, reason);
      case Authorization.NoOpinion(String reason) -> throw forbidden(call, type, reason);
    }
  }

  private static Refused forbidden(Call call, ResourceType type, String reason) {
    return new Refused(Status.forbidden(type.groupResource(), call.info().name(), reason));
  }
}
