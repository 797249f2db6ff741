package dev.regroup.node.service;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.List;

/**
 * What names and relays need of an EndpointSlice.
 *
 * @param service the name of its service, empty if it has none
 */
public record SliceView(String service, List<Endpoint> endpoints, List<Port> ports) {
  private static final String SERVICE_LABEL = "kubernetes.io/service-name";

  /** One pod: where it is, what it is called (empty if it has no hostname), whether it is ready. */
  public record Endpoint(Inet4Address address, String hostname, Readiness readiness) {}

  /** Who may be sent to an endpoint. */
  public enum Readiness {
    READY,
    /** Ends soon but still serves: used while nobody is ready, as Kubernetes does. */
    SERVING_WHILE_TERMINATING,
    NOT_READY
  }

  public SliceView {
    endpoints = List.copyOf(endpoints);
    ports = List.copyOf(ports);
  }

  public static SliceView of(JsonNode slice) {
    String service = slice.path("metadata").path("labels").path(SERVICE_LABEL).asText("");
    var endpoints = new ArrayList<Endpoint>();
    for (JsonNode endpoint : slice.path("endpoints")) {
      String hostname = endpoint.path("hostname").asText("");
      Readiness readiness = readiness(endpoint.path("conditions"));
      for (JsonNode address : endpoint.path("addresses")) {
        Addresses4.parse(address.asText(""))
            .ifPresent(parsed -> endpoints.add(new Endpoint(parsed, hostname, readiness)));
      }
    }
    return new SliceView(service, endpoints, Port.listOf(slice.path("ports")));
  }

  private static Readiness readiness(JsonNode conditions) {
    if (conditions.path("ready").asBoolean(true)) { // absent = yes
      return Readiness.READY;
    }
    boolean leaving =
        conditions.path("terminating").asBoolean() && conditions.path("serving").asBoolean();
    return leaving ? Readiness.SERVING_WHILE_TERMINATING : Readiness.NOT_READY;
  }
}
