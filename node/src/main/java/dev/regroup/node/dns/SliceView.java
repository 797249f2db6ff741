package dev.regroup.node.dns;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.List;

/**
 * What names need of an EndpointSlice.
 *
 * @param service the name of its service, empty if it has none
 */
record SliceView(String service, List<Endpoint> endpoints) {
  private static final String SERVICE_LABEL = "kubernetes.io/service-name";

  /** One pod: where it is, what it is called (empty if it has no hostname), whether it is ready. */
  record Endpoint(Inet4Address address, String hostname, Readiness readiness) {}

  enum Readiness {
    READY,
    NOT_READY
  }

  SliceView {
    endpoints = List.copyOf(endpoints);
  }

  static SliceView of(JsonNode slice) {
    String service = slice.path("metadata").path("labels").path(SERVICE_LABEL).asText("");
    var endpoints = new ArrayList<Endpoint>();
    for (JsonNode endpoint : slice.path("endpoints")) {
      String hostname = endpoint.path("hostname").asText("");
      JsonNode ready = endpoint.path("conditions").path("ready");
      var readiness = ready.asBoolean(true) ? Readiness.READY : Readiness.NOT_READY; // absent = yes
      for (JsonNode address : endpoint.path("addresses")) {
        Addresses4.parse(address.asText(""))
            .ifPresent(parsed -> endpoints.add(new Endpoint(parsed, hostname, readiness)));
      }
    }
    return new SliceView(service, endpoints);
  }
}
