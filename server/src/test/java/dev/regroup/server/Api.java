package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.ServerJson;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Requests in as few words as a test needs. Objects are written as JSON with single quotes. */
record Api(Transport transport) {
  private static final ObjectMapper JSON = ServerJson.MAPPER;

  /** An answer with its body read. */
  record Got(int status, JsonNode body, Response response) {
    Got expect(int code) {
      assertThat(status).as("%s", body).isEqualTo(code);
      return this;
    }

    String text(String pointer) {
      return body.at(pointer).asText();
    }

    String version() {
      return text("/metadata/resourceVersion");
    }

    List<String> names() {
      var names = new ArrayList<String>();
      body.path("items").forEach(item -> names.add(item.at("/metadata/name").asText()));
      return names;
    }
  }

  Got get(String pathAndQuery) throws Exception {
    return send("GET", pathAndQuery, "", "");
  }

  Got get(String pathAndQuery, String accept) throws Exception {
    return read(transport.send(request("GET", pathAndQuery, "", "").withHeader("accept", accept)));
  }

  Got post(String path, String object) throws Exception {
    return send("POST", path, "application/json", object);
  }

  Got put(String path, String object) throws Exception {
    return send("PUT", path, "application/json", object);
  }

  Got merge(String path, String patch) throws Exception {
    return send("PATCH", path, "application/merge-patch+json", patch);
  }

  Got strategic(String path, String patch) throws Exception {
    return send("PATCH", path, "application/strategic-merge-patch+json", patch);
  }

  Got delete(String path) throws Exception {
    return send("DELETE", path, "", "");
  }

  Got delete(String path, String options) throws Exception {
    return send("DELETE", path, "application/json", options);
  }

  Got send(String method, String pathAndQuery, String type, String body) throws Exception {
    return read(transport.send(request(method, pathAndQuery, type, body)));
  }

  Got send(Request request) throws Exception {
    return read(transport.send(request));
  }

  Events watch(String pathAndQuery) throws Exception {
    return new Events(transport.open(request("GET", pathAndQuery, "", "")));
  }

  Events watch(String pathAndQuery, String accept) throws Exception {
    return new Events(
        transport.open(request("GET", pathAndQuery, "", "").withHeader("accept", accept)));
  }

  /** The frames of a watch as "TYPE name", one at a time. */
  record Events(Transport.Stream stream) implements AutoCloseable {

    String next() throws Exception {
      var event = nextEvent();
      return event.path("type").asText() + " " + event.at("/object/metadata/name").asText();
    }

    JsonNode nextEvent() throws Exception {
      byte[] frame = stream.next();
      return frame == null ? JSON.createObjectNode().put("type", "END") : JSON.readTree(frame);
    }

    List<String> next(int count) throws Exception {
      var events = new ArrayList<String>();
      for (int i = 0; i < count; i++) {
        events.add(next());
      }
      return events;
    }

    @Override
    public void close() {
      stream.close();
    }
  }

  static Request request(String method, String pathAndQuery, String type, String body) {
    int at = pathAndQuery.indexOf('?');
    var path = at < 0 ? pathAndQuery : pathAndQuery.substring(0, at);
    var query = at < 0 ? "" : pathAndQuery.substring(at + 1);
    var bytes = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    var request =
        type.isEmpty()
            ? new Request(method, path, query, dev.regroup.client.Headers.NONE, bytes)
            : Request.of(method, path, type, bytes).withQuery(query);
    return request;
  }

  private static Got read(Response response) throws IOException {
    var type = response.headers().first("content-type").orElse("");
    var body =
        type.contains("json")
            ? JSON.readTree(response.body())
            : JSON.getNodeFactory().textNode(new String(response.body(), StandardCharsets.UTF_8));
    return new Got(response.status(), body, response);
  }
}
