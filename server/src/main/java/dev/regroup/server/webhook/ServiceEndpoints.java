package dev.regroup.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.KindSet;
import dev.regroup.server.resource.ServedKinds;

/** Finds a ready endpoint of a service: what a cluster's address would lead to. */
record ServiceEndpoints(ObjectStore objects, ServedKinds kinds) {

  /** An address and a port, or why there is none. */
  sealed interface Endpoint {
    record At(String address, long port) implements Endpoint {}

    record Nowhere(String problem) implements Endpoint {}
  }

  Endpoint of(WebhookClient.ServiceAddress wanted) {
    KindSet served = kinds.now();
    var entry = objects.find(served.core("services"), wanted.namespace(), wanted.name());
    if (entry.isEmpty()) {
      return new Endpoint.Nowhere("service \"" + wanted.name() + "\" not found");
    }
    var service = ObjectStore.tree(entry.get().value());
    for (JsonNode port : service.path("spec").path("ports")) {
      if (port.path("port").asLong() == wanted.port()) {
        return ready(served, wanted, Trees.text(port, "name"));
      }
    }
    return new Endpoint.Nowhere(
        "no service port " + wanted.port() + " found for service \"" + wanted.name() + "\"");
  }

  private Endpoint ready(KindSet served, WebhookClient.ServiceAddress wanted, String port) {
    var slices = served.catalog().find("discovery.k8s.io", "v1", "endpointslices").orElseThrow();
    for (var entry : objects.list(slices, wanted.namespace()).entries()) {
      var slice = ObjectStore.tree(entry.value());
      boolean ofService =
          Trees.text(slice, "metadata", "labels", "kubernetes.io/service-name")
              .equals(wanted.name());
      if (!ofService) {
        continue;
      }
      for (JsonNode one : slice.path("ports")) {
        for (JsonNode endpoint : slice.path("endpoints")) {
          boolean usable =
              Trees.text(one, "name").equals(port)
                  && endpoint.path("conditions").path("ready").asBoolean(true)
                  && !endpoint.path("addresses").isEmpty();
          if (usable) {
            return new Endpoint.At(
                endpoint.path("addresses").get(0).asText(), one.path("port").asLong());
          }
        }
      }
    }
    return new Endpoint.Nowhere("no endpoints available for service \"" + wanted.name() + "\"");
  }
}
