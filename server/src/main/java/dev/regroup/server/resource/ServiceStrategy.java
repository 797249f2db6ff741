package dev.regroup.server.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.wire.Refused;

/** A service gets its address and its node ports from the server. */
final class ServiceStrategy implements KindStrategy {

  @Override
  public void prepareCreate(ObjectNode service, Allocations allocations) throws Refused {
    allocations.toService(service, null);
  }

  @Override
  public void prepareUpdate(ObjectNode old, ObjectNode service, Allocations allocations)
      throws Refused {
    if (service.get("spec") instanceof ObjectNode spec) {
      service.set("spec", spec.deepCopy());
    }
    allocations.toService(service, old);
  }
}
