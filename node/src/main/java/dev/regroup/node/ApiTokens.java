package dev.regroup.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import dev.regroup.node.env.ConfigFailure;
import dev.regroup.node.env.PodToken;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Asks the API server for the tokens of pods and keeps each until four fifths of its time, or a
 * day, are over. While the server cannot be reached the last one is used. Any thread.
 */
final class ApiTokens {
  private static final Duration OLDEST = Duration.ofHours(24);

  private final ApiClient api;
  private final InstantSource clock;
  private final Map<PodToken, Issued> issued = new ConcurrentHashMap<>();

  private record Issued(String token, Instant due, Instant expires) {}

  ApiTokens(ApiClient api, InstantSource clock) {
    this.api = api;
    this.clock = clock;
  }

  boolean isDue(PodToken wanted) {
    var known = issued.get(wanted);
    return known == null || !clock.instant().isBefore(known.due());
  }

  String token(PodToken wanted) throws ConfigFailure, InterruptedException {
    var known = issued.get(wanted);
    if (known != null && clock.instant().isBefore(known.due())) {
      return known.token();
    }
    try {
      var fresh = ask(wanted);
      var now = clock.instant();
      issued.values().removeIf(old -> now.isAfter(old.expires())); // of pods that are gone
      issued.put(wanted, fresh);
      return fresh.token();
    } catch (Transport.Unreachable e) {
      if (known == null) {
        throw new ConfigFailure("failed to fetch token: the API server cannot be reached");
      }
      return known.token();
    } catch (ApiFailure | IOException e) {
      throw new ConfigFailure("failed to fetch token: " + e.getMessage());
    }
  }

  private Issued ask(PodToken wanted)
      throws ApiFailure, Transport.Unreachable, IOException, InterruptedException {
    var request = Wire.object();
    request.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenRequest");
    var spec = request.putObject("spec");
    if (wanted.audience() != null) {
      spec.putArray("audiences").add(wanted.audience());
    }
    spec.put("expirationSeconds", wanted.lasting().toSeconds());
    spec.putObject("boundObjectRef")
        .put("apiVersion", "v1")
        .put("kind", "Pod")
        .put("name", wanted.pod())
        .put("uid", wanted.podUid());
    var asked = clock.instant();
    var answer =
        api.post(
            Kinds.SERVICE_ACCOUNTS,
            new ObjectKey(wanted.namespace(), wanted.account()),
            "token",
            Wire.text(request).getBytes(UTF_8));
    JsonNode status = Wire.tree(answer).path("status");
    var expires = Instant.parse(status.path("expirationTimestamp").asText());
    var most = Duration.between(asked, expires).multipliedBy(4).dividedBy(5);
    return new Issued(
        status.path("token").asText(),
        asked.plus(most.compareTo(OLDEST) < 0 ? most : OLDEST),
        expires);
  }
}
