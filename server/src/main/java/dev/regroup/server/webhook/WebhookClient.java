package dev.regroup.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import java.util.Optional;

/**
 * Where a webhook is reached and whom to trust there.
 *
 * @param authority certificates in PEM, as base64 of the wire; empty for those of the machine
 */
record WebhookClient(Optional<String> url, Optional<ServiceAddress> service, String authority) {

  /** A service of the cluster. */
  record ServiceAddress(String namespace, String name, String path, long port) {

    String host() {
      return name + "." + namespace + ".svc";
    }

    /** As a client of the cluster would write it. */
    String url() {
      return "https://" + host() + ":" + port + path;
    }
  }

  static WebhookClient of(JsonNode client) {
    return new WebhookClient(
        Trees.textIfPresent(client, "url"),
        Trees.object(client, "service")
            .map(service ->
                new ServiceAddress(
                    Trees.text(service, "namespace"),
                    Trees.text(service, "name"),
                    Trees.text(service, "path"),
                    Trees.number(service, "port").orElse(443))),
        Trees.text(client, "caBundle"));
  }
}
