package dev.regroup.server.resource;

import java.util.List;

/** Endpoints are served to those who have not moved on to slices. */
final class EndpointsStrategy implements KindStrategy {

  @Override
  public List<String> warnings() {
    return List.of("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice");
  }
}
