package dev.regroup.control.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.regroup.api.Wire;
import dev.regroup.control.endpoints.SlicePlan.Endpoint;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Endpoints as they stand in the subsets of an Endpoints object. Pure. */
final class SubsetText {

  /** Kubernetes' limit for such an object: the rest is only in the slices. */
  static final int MOST = 1_000;

  private SubsetText() {}

  /**
   * Subsets in the order of their first address; empty when there is no endpoint.
   *
   * @param publishNotReady whether a pod that ends is still shown
   */
  static ArrayNode subsets(
      Map<JsonNode, List<Endpoint>> byPorts, String namespace, boolean publishNotReady) {
    var subsets = Wire.object().putArray("subsets");
    int room = MOST;
    for (var entry : byPorts.entrySet()) {
      var shown =
          entry.getValue().stream()
              .filter(endpoint -> publishNotReady || !endpoint.terminating())
              .sorted(
                  Comparator.comparing(Endpoint::ready, Comparator.reverseOrder())
                      .thenComparing(Endpoint::address, SubsetText::compare)
                      .thenComparing(Endpoint::podUid))
              .limit(room)
              .toList();
      if (shown.isEmpty()) {
        continue;
      }
      room -= shown.size();
      var subset = subsets.addObject();
      addresses(shown.stream().filter(Endpoint::ready).toList(), namespace)
          .forEach(address -> subset.withArray("addresses").add(address));
      addresses(shown.stream().filter(endpoint -> !endpoint.ready()).toList(), namespace)
          .forEach(address -> subset.withArray("notReadyAddresses").add(address));
      if (!entry.getKey().isEmpty()) {
        entry.getKey().forEach(port -> subset.withArray("ports").add(port(port)));
      }
    }
    return subsets;
  }

  private static ArrayNode addresses(List<Endpoint> endpoints, String namespace) {
    var list = Wire.object().putArray("addresses");
    for (Endpoint endpoint : endpoints) {
      var address = list.addObject().put("ip", endpoint.address());
      if (!endpoint.hostname().isEmpty()) {
        address.put("hostname", endpoint.hostname());
      }
      if (!endpoint.node().isEmpty()) {
        address.put("nodeName", endpoint.node());
      }
      address
          .putObject("targetRef")
          .put("kind", "Pod")
          .put("namespace", namespace)
          .put("name", endpoint.podName())
          .put("uid", endpoint.podUid());
    }
    return list;
  }

  /** A port without a name says nothing about it here. */
  private static JsonNode port(JsonNode ofSlice) {
    var port = Wire.object();
    ofSlice
        .properties()
        .forEach(field -> {
          if (!field.getKey().equals("name") || !field.getValue().asText("").isEmpty()) {
            port.set(field.getKey(), field.getValue());
          }
        });
    return port;
  }

  private static int compare(String one, String other) {
    int length = Integer.compare(one.length(), other.length());
    String[] left = one.split("\\.", -1);
    String[] right = other.split("\\.", -1);
    if (left.length != 4 || right.length != 4) {
      return length == 0 ? one.compareTo(other) : length;
    }
    for (int i = 0; i < 4; i++) {
      int part = Integer.compare(Integer.parseInt(left[i]), Integer.parseInt(right[i]));
      if (part != 0) {
        return part;
      }
    }
    return 0;
  }
}
