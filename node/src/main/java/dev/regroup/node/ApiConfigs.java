package dev.regroup.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.client.Transport;
import dev.regroup.node.env.ConfigFailure;
import dev.regroup.node.env.Configs;
import dev.regroup.node.report.NodeApi;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads configuration objects from the API server when a container needs them. A restart with the
 * API server cut off still works if the object was read before: the last answer is used then.
 */
final class ApiConfigs implements Configs {

  private static final int MOST_REMEMBERED = 256;

  private final NodeApi api;
  private final Map<String, Map<String, byte[]>> lastSeen =
      java.util.Collections.synchronizedMap(
          new java.util.LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Map<String, byte[]>> eldest) {
              return size() > MOST_REMEMBERED;
            }
          });

  ApiConfigs(NodeApi api) {
    this.api = api;
  }

  @Override
  public Optional<Map<String, byte[]>> configMap(String namespace, String name)
      throws ConfigFailure, InterruptedException {
    return read("/api/v1/namespaces/" + namespace + "/configmaps/" + name, "data", "binaryData");
  }

  @Override
  public Optional<Map<String, byte[]>> secret(String namespace, String name)
      throws ConfigFailure, InterruptedException {
    return read("/api/v1/namespaces/" + namespace + "/secrets/" + name, "", "data");
  }

  private Optional<Map<String, byte[]>> read(String path, String texts, String encoded)
      throws ConfigFailure, InterruptedException {
    try {
      var reply = api.get(path);
      if (reply.notFound()) {
        lastSeen.remove(path);
        return Optional.empty();
      }
      if (!reply.ok()) {
        throw new ConfigFailure(reply.message());
      }
      var data = data(reply.body(), texts, encoded);
      lastSeen.put(path, data);
      return Optional.of(data);
    } catch (Transport.Unreachable e) {
      var known = lastSeen.get(path);
      if (known == null) {
        throw new ConfigFailure("the API server cannot be reached");
      }
      return Optional.of(known);
    }
  }

  private static Map<String, byte[]> data(JsonNode object, String texts, String encoded) {
    var data = new HashMap<String, byte[]>();
    object
        .path(texts)
        .properties()
        .forEach(e -> data.put(e.getKey(), e.getValue().asText().getBytes(UTF_8)));
    object
        .path(encoded)
        .properties()
        .forEach(e -> data.put(e.getKey(), Base64.getDecoder().decode(e.getValue().asText())));
    return data;
  }
}
