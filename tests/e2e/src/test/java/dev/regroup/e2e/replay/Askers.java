package dev.regroup.e2e.replay;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;

/**
 * Who sends a request of a scenario: the administrator, somebody in whose name they speak, the
 * holder of a token, or nobody in particular.
 *
 * @param nobody without certificate or token
 */
public record Askers(Transport admin, Transport nobody) {

  Transport transport(JsonNode as) {
    return as.has("token") || as.asText().equals("anonymous") ? nobody : admin;
  }

  static Request request(Request request, JsonNode as) {
    var headers = request.headers();
    if (as.has("token")) {
      headers = headers.and("authorization", "Bearer " + as.path("token").asText());
    }
    if (as.has("user")) {
      headers = headers.and("impersonate-user", as.path("user").asText());
    }
    if (as.has("uid")) {
      headers = headers.and("impersonate-uid", as.path("uid").asText());
    }
    for (JsonNode group : as.path("groups")) {
      headers = headers.and("impersonate-group", group.asText());
    }
    for (var extra : as.path("extra").properties()) {
      for (JsonNode value : extra.getValue()) {
        headers = headers.and("impersonate-extra-" + extra.getKey(), value.asText());
      }
    }
    return with(request, headers);
  }

  private static Request with(Request request, Headers headers) {
    return new Request(request.method(), request.path(), request.query(), headers, request.body());
  }
}
