package dev.regroup.cli.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.Codec;
import dev.regroup.client.Request;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Which resource of an API server holds the objects of a kind. Asks once for each version. */
public final class KindFinder {

  private final Transport transport;
  private final Map<String, JsonNode> served = new HashMap<>();

  public KindFinder(Transport transport) {
    this.transport = transport;
  }

  /** Empty when this server does not serve it. */
  public Optional<Resource<ObjectNode>> find(String apiVersion, String kind)
      throws CliFailure, InterruptedException {
    for (JsonNode resource : served(apiVersion).path("resources")) {
      if (resource.path("kind").asText().equals(kind)
          && !resource.path("name").asText().contains("/")) {
        int slash = apiVersion.indexOf('/');
        return Optional.of(
            new Resource<>(
                slash < 0 ? "" : apiVersion.substring(0, slash),
                apiVersion.substring(slash + 1),
                resource.path("name").asText(),
                resource.path("namespaced").asBoolean()
                    ? Resource.Scope.NAMESPACED
                    : Resource.Scope.CLUSTER,
                Codec.TREE));
      }
    }
    return Optional.empty();
  }

  private JsonNode served(String version) throws CliFailure, InterruptedException {
    var known = served.get(version);
    if (known != null) {
      return known;
    }
    String path = (version.contains("/") ? "/apis/" : "/api/") + version;
    try {
      var response = transport.send(Request.get(path, ""));
      JsonNode list = response.ok() ? Wire.tree(response.body()) : Wire.object();
      served.put(version, list);
      return list;
    } catch (IOException e) {
      throw new CliFailure("the API server does not answer: " + e.getMessage(), e);
    }
  }
}
