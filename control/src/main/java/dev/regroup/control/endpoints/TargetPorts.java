package dev.regroup.control.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.pod.RestartFields;
import java.util.HashMap;
import java.util.Map;

/** Which ports of a pod the ports of a service mean. Pure. */
final class TargetPorts {

  /** A port of a pod, as a {@code targetPort} with a name finds it. */
  record Named(String name, String protocol) {}

  private TargetPorts() {}

  /** The named ports of a pod's containers, sidecars too; of equal names the first counts. */
  static Map<Named, Integer> of(JsonNode podSpec) {
    var ports = new HashMap<Named, Integer>();
    podSpec.path("containers").forEach(container -> add(container, ports));
    for (JsonNode container : podSpec.path("initContainers")) {
      if (RestartFields.isSidecar(container)) {
        add(container, ports);
      }
    }
    return Map.copyOf(ports);
  }

  private static void add(JsonNode container, Map<Named, Integer> ports) {
    for (JsonNode port : container.path("ports")) {
      String name = port.path("name").asText("");
      if (!name.isEmpty()) {
        ports.putIfAbsent(
            new Named(name, port.path("protocol").asText("TCP")),
            port.path("containerPort").asInt());
      }
    }
  }

  /** The ports of a slice with pods that have these; a name a pod does not have is left out. */
  static JsonNode resolve(JsonNode ofService, Map<Named, Integer> ofPod) {
    var resolved = Wire.object().putArray("ports");
    for (JsonNode port : ofService) {
      String protocol = port.path("protocol").asText("TCP");
      JsonNode target = port.path("targetPort");
      int number =
          target.isTextual()
              ? ofPod.getOrDefault(new Named(target.asText(), protocol), 0)
              : target.asInt(port.path("port").asInt());
      if (number == 0) {
        continue;
      }
      var entry =
          resolved
              .addObject()
              .put("name", port.path("name").asText(""))
              .put("port", number)
              .put("protocol", protocol);
      if (port.has("appProtocol")) {
        entry.set("appProtocol", port.get("appProtocol"));
      }
    }
    return resolved;
  }
}
