package dev.regroup.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Resource;
import dev.regroup.client.Transport;
import dev.regroup.node.env.ConfigFailure;
import dev.regroup.node.env.Configs;
import dev.regroup.node.env.PodToken;
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

  private record Named(Resource<ObjectNode> kind, ObjectKey key) {}

  private final ApiClient api;
  private final ApiTokens tokens;
  private final Map<Named, Map<String, byte[]>> lastSeen =
      java.util.Collections.synchronizedMap(
          new java.util.LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Named, Map<String, byte[]>> eldest) {
              return size() > MOST_REMEMBERED;
            }
          });

  ApiConfigs(ApiClient api, ApiTokens tokens) {
    this.api = api;
    this.tokens = tokens;
  }

  @Override
  public String token(PodToken token) throws ConfigFailure, InterruptedException {
    return tokens.token(token);
  }

  @Override
  public boolean isDue(PodToken token) {
    return tokens.isDue(token);
  }

  @Override
  public Optional<Map<String, byte[]>> configMap(String namespace, String name)
      throws ConfigFailure, InterruptedException {
    return read(new Named(Kinds.CONFIG_MAPS, new ObjectKey(namespace, name)), "data", "binaryData");
  }

  @Override
  public Optional<Map<String, byte[]>> secret(String namespace, String name)
      throws ConfigFailure, InterruptedException {
    return read(new Named(Kinds.SECRETS, new ObjectKey(namespace, name)), "", "data");
  }

  private Optional<Map<String, byte[]>> read(Named object, String texts, String encoded)
      throws ConfigFailure, InterruptedException {
    try {
      var found = api.get(object.kind(), object.key());
      if (found.isEmpty()) {
        lastSeen.remove(object);
        return Optional.empty();
      }
      var data = data(found.get(), texts, encoded);
      lastSeen.put(object, data);
      return Optional.of(data);
    } catch (ApiFailure e) {
      throw new ConfigFailure(String.valueOf(e.getMessage()));
    } catch (Transport.Unreachable e) {
      var known = lastSeen.get(object);
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
