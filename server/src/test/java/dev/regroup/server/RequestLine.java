package dev.regroup.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;

/**
 * A request as one line of JSON: how requests are recorded, printed and kept. The body is a tree
 * ({@code body}), a text ({@code text}) or any bytes ({@code base64}).
 */
record RequestLine(Request request) {

  private static final ObjectMapper JSON = new ObjectMapper();

  static RequestLine parse(String line) {
    try {
      var tree = JSON.readTree(line);
      var headers = Headers.NONE;
      for (var header : tree.path("headers").properties()) {
        headers = headers.and(header.getKey(), header.getValue().asText());
      }
      return new RequestLine(
          new Request(
              tree.path("method").asText(),
              tree.path("path").asText(),
              tree.path("query").asText(),
              headers,
              body(tree)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] body(JsonNode line) throws IOException {
    if (line.has("body")) {
      return JSON.writeValueAsBytes(line.get("body"));
    }
    return line.has("base64")
        ? line.get("base64").binaryValue()
        : line.path("text").asText().getBytes(UTF_8);
  }

  String write() {
    var line = JSON.createObjectNode();
    line.put("method", request.method()).put("path", request.path()).put("query", request.query());
    var headers = line.putObject("headers");
    request.headers().fields().forEach((name, values) -> headers.put(name, values.getLast()));
    line.put("base64", Base64.getEncoder().encodeToString(request.body()));
    try {
      return JSON.writeValueAsString(line);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
