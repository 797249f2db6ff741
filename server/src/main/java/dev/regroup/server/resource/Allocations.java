package dev.regroup.server.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.wire.Refused;
import org.jspecify.annotations.Nullable;

/** Port to what the server gives out and must give to one object only. */
@FunctionalInterface
public interface Allocations {

  /**
   * Fills in the cluster address and the node ports a service wants and has not.
   *
   * @param old the service before a change; null for a new one
   */
  void toService(ObjectNode service, @Nullable ObjectNode old) throws Refused;
}
