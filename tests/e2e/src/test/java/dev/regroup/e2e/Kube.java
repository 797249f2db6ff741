package dev.regroup.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.regroup.api.yaml.YamlDocuments;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.client.https.HttpsTransport;
import dev.regroup.client.https.PemTls;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** An administrator's view of the API over HTTPS, as kubectl has it: from a kubeconfig. */
public final class Kube {

  public static final ObjectMapper JSON = new ObjectMapper();

  private static final Duration HISTORY = Duration.ofSeconds(60); // it is there already

  private final Transport transport;
  private final Transport nobody;

  private Kube(Transport transport, Transport nobody) {
    this.transport = transport;
    this.nobody = nobody;
  }

  public static Kube of(Path kubeconfig) throws Exception {
    var config = YamlDocuments.read(Files.readAllBytes(kubeconfig)).getFirst().root();
    String current = config.path("current-context").asText();
    var context = entry(config.path("contexts"), current).path("context");
    var cluster = entry(config.path("clusters"), context.path("cluster").asText()).path("cluster");
    var user = entry(config.path("users"), context.path("user").asText()).path("user");
    var server = URI.create(cluster.path("server").asText());
    var authority = data(cluster, "certificate-authority-data");
    var admin =
        PemTls.context(
            authority, data(user, "client-certificate-data"), data(user, "client-key-data"));
    return new Kube(
        new HttpsTransport(server, admin, Optional::empty),
        new HttpsTransport(server, PemTls.context(authority), Optional::empty));
  }

  /** An API reached in another way; nobody else is known. */
  static Kube over(Transport transport) {
    return new Kube(transport, transport);
  }

  /** The same API for whoever has no certificate. */
  public Transport nobody() {
    return nobody;
  }

  public Transport transport() {
    return transport;
  }

  public JsonNode get(String path) throws IOException, InterruptedException {
    return body(transport.send(Request.get(path, "")));
  }

  public JsonNode list(String path, String query) throws IOException, InterruptedException {
    return body(transport.send(Request.get(path, query))).path("items");
  }

  public JsonNode create(String path, JsonNode object) throws IOException, InterruptedException {
    var response =
        transport.send(
            Request.of("POST", path, "application/json", JSON.writeValueAsBytes(object)));
    if (!response.ok()) {
      throw new AssertionError(path + ": " + new String(response.body(), UTF_8));
    }
    return body(response);
  }

  /** Creates what a manifest says. */
  public JsonNode create(String path, String yaml) throws Exception {
    return create(path, YamlDocuments.read(yaml.getBytes(UTF_8)).getFirst().root());
  }

  /** A body that is no JSON, such as a log. */
  public String text(String path, String query) throws IOException, InterruptedException {
    return new String(transport.send(Request.get(path, query)).body(), UTF_8);
  }

  /** Asks again until the text is as wanted: no event tells of a log or of figures. */
  public String awaitText(String path, String query, Predicate<String> wanted, Duration limit)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (true) {
      String text = text(path, query);
      if (wanted.test(text)) {
        return text;
      }
      if (System.nanoTime() > end) {
        throw new AssertionError(
            "not seen within %s at %s?%s; last:%n%s".formatted(limit, path, query, text));
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  /** Events come a little after what they tell of; {@code text} is a part of the message. */
  public void awaitEvent(String about, String reason, String text, Duration limit)
      throws IOException, InterruptedException {
    await(
        "/api/v1/namespaces/default/events",
        "fieldSelector=involvedObject.name%3D" + about,
        (Map<String, JsonNode> events) ->
            events.values().stream()
                .anyMatch(event ->
                    event.path("reason").asText().equals(reason)
                        && event.path("message").asText().contains(text)),
        limit);
  }

  public JsonNode patch(String path, String merge) throws IOException, InterruptedException {
    return body(
        transport.send(
            Request.of("PATCH", path, "application/merge-patch+json", merge.getBytes(UTF_8))));
  }

  public JsonNode delete(String path, String query) throws IOException, InterruptedException {
    return body(transport.send(new Request("DELETE", path, query, Headers.NONE, new byte[0])));
  }

  /**
   * Watches a collection from now on (its present objects first) until the condition holds for the
   * newest event, and returns all events seen.
   */
  public List<JsonNode> watchUntil(
      String path, String query, Predicate<List<JsonNode>> condition, Duration limit)
      throws IOException, InterruptedException {
    var events = new ArrayList<JsonNode>();
    String all = query.isEmpty() ? "watch=1" : "watch=1&" + query;
    try (var stream = transport.open(Request.get(path, all));
        var deadline = Deadline.close(stream, limit)) {
      try {
        for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
          events.add(JSON.readTree(frame));
          if (condition.test(events)) {
            return events;
          }
        }
      } catch (Transport.Unreachable e) {
        if (!deadline.isOver()) { // else it broke off because its time was up
          throw e;
        }
      }
    }
    throw new AssertionError(
        "not seen within %s at %s; last: %s"
            .formatted(limit, path, events.isEmpty() ? "nothing" : events.getLast()));
  }

  /** Every revision of the selected objects after {@code from} up to {@code to}. */
  public List<JsonNode> history(String path, String query, long from, long to)
      throws IOException, InterruptedException {
    if (from >= to) {
      return List.of();
    }
    return watchUntil(
            path,
            query + "&resourceVersion=" + from,
            events -> revision(events.getLast().path("object")) >= to,
            HISTORY)
        .stream()
        .map(event -> event.path("object"))
        .toList();
  }

  public static long revision(JsonNode object) {
    return object.path("metadata").path("resourceVersion").asLong();
  }

  /** Follows a collection until it is as wanted, and returns it: objects by name. */
  public Map<String, JsonNode> await(
      String path, String query, Predicate<Map<String, JsonNode>> wanted, Duration limit)
      throws IOException, InterruptedException {
    var objects = new TreeMap<String, JsonNode>();
    try {
      watchUntil(
          path,
          query,
          events -> {
            var object = events.getLast().path("object");
            String name = object.path("metadata").path("name").asText();
            if (events.getLast().path("type").asText().equals("DELETED")) {
              objects.remove(name);
            } else {
              objects.put(name, object);
            }
            return wanted.test(objects);
          },
          limit);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "; all: " + objects, e);
    }
    return objects;
  }

  /** Follows one object until it is as wanted, and returns it. */
  public JsonNode awaitOne(String path, String name, Predicate<JsonNode> wanted, Duration limit)
      throws IOException, InterruptedException {
    return await(
            path,
            "fieldSelector=metadata.name%3D" + name,
            objects -> objects.containsKey(name) && wanted.test(objects.get(name)),
            limit)
        .get(name);
  }

  /** Waits until nothing is selected any more. */
  public void awaitGone(String path, String query, Duration limit)
      throws IOException, InterruptedException {
    var list = JSON.readTree(text(path, query));
    var left = new TreeSet<String>();
    list.path("items").forEach(item -> left.add(item.path("metadata").path("name").asText()));
    if (left.isEmpty()) {
      return;
    }
    String since = list.path("metadata").path("resourceVersion").asText();
    watchUntil(
        path,
        query + "&resourceVersion=" + since,
        events -> {
          String name = events.getLast().path("object").path("metadata").path("name").asText();
          if (events.getLast().path("type").asText().equals("DELETED")) {
            left.remove(name);
          } else {
            left.add(name);
          }
          return left.isEmpty();
        },
        limit);
  }

  /** The condition of this type; a missing node when there is none. */
  public static JsonNode condition(JsonNode object, String type) {
    for (JsonNode condition : object.path("status").path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition;
      }
    }
    return MissingNode.getInstance();
  }

  private static JsonNode body(Response response) throws IOException {
    return JSON.readTree(response.body());
  }

  private static JsonNode entry(JsonNode list, String name) {
    for (JsonNode entry : list) {
      if (entry.path("name").asText().equals(name)) {
        return entry;
      }
    }
    throw new AssertionError("no \"" + name + "\" in " + list);
  }

  private static String data(JsonNode entry, String field) {
    return new String(Base64.getDecoder().decode(entry.path(field).asText()), UTF_8);
  }
}
