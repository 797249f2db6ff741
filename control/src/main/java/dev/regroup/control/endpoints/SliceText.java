package dev.regroup.control.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.control.endpoints.SlicePlan.Endpoint;
import java.util.ArrayList;
import java.util.List;

/** Endpoints as they stand in a slice, and back. */
final class SliceText {

  private SliceText() {}

  static JsonNode endpoints(List<Endpoint> endpoints, String namespace) {
    var list = Wire.object().putArray("endpoints");
    for (Endpoint endpoint : endpoints) {
      var entry = list.addObject();
      entry.putArray("addresses").add(endpoint.address());
      entry
          .putObject("conditions")
          .put("ready", endpoint.ready())
          .put("serving", endpoint.serving())
          .put("terminating", endpoint.terminating());
      if (!endpoint.hostname().isEmpty()) {
        entry.put("hostname", endpoint.hostname());
      }
      entry.put("nodeName", endpoint.node());
      entry
          .putObject("targetRef")
          .put("kind", "Pod")
          .put("namespace", namespace)
          .put("name", endpoint.podName())
          .put("uid", endpoint.podUid());
    }
    return list;
  }

  static List<Endpoint> read(JsonNode list) {
    var endpoints = new ArrayList<Endpoint>();
    for (JsonNode entry : list) {
      var conditions = entry.path("conditions");
      endpoints.add(
          new Endpoint(
              entry.path("targetRef").path("uid").asText(),
              entry.path("targetRef").path("name").asText(),
              entry.path("addresses").path(0).asText(),
              entry.path("hostname").asText(""),
              entry.path("nodeName").asText(""),
              conditions.path("ready").asBoolean(),
              conditions.path("serving").asBoolean(),
              conditions.path("terminating").asBoolean()));
    }
    return endpoints;
  }
}
