package dev.regroup.server.crd;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.resource.Allocations;
import dev.regroup.server.resource.KindStrategy;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.wire.GroupResource;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import java.util.List;

/**
 * How objects of custom kinds behave: versions can be deprecated, and no object comes while the
 * definition goes.
 */
record CustomStrategy(GroupResource resource, List<String> warnings, boolean going)
    implements KindStrategy {

  CustomStrategy {
    warnings = List.copyOf(warnings);
  }

  @Override
  public void prepareCreate(ObjectNode object, Allocations allocations) throws Refused {
    if (going) {
      throw new Refused(
          Status.forbidden(
              resource,
              Meta.name(object),
              "create not allowed while custom resource definition is terminating"));
    }
  }
}
