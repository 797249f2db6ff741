package dev.regroup.server.body;

import dev.regroup.client.Request;
import dev.regroup.server.access.Identity;
import dev.regroup.server.resource.KindSet;
import dev.regroup.server.wire.RequestInfo;
import dev.regroup.server.wire.RequestQuery;
import java.util.ArrayList;
import java.util.List;

/**
 * One request on its way through the pipeline, with the warnings collected so far.
 *
 * @param asker who it counts for
 * @param kinds those that were served when it began
 */
public record Call(
    Identity asker, RequestInfo info, Request request, KindSet kinds, List<String> warnings) {

  public static Call of(Identity asker, RequestInfo info, Request request, KindSet kinds) {
    return new Call(asker, info, request, kinds, new ArrayList<>());
  }

  public RequestQuery query() {
    return info.query();
  }

  /** Adds what is not yet said; a client needs every warning once. */
  public void warn(List<String> more) {
    for (var warning : more) {
      if (!warnings.contains(warning)) {
        warnings.add(warning);
      }
    }
  }
}
