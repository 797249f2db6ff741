package dev.regroup.e2e.replay;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Plays one scenario and tells what differs from the record. What it makes is deleted afterwards,
 * whatever happened.
 */
public final class Replay {

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final Duration LOOK_AGAIN = Duration.ofMillis(100);
  private static final int NOT_FOUND = 404;
  private static final Duration SETTLE = Duration.ofSeconds(10);

  /** Why a watch was over. */
  private enum Ending {
    MET,
    CLOSED,
    LATE
  }

  /** The rest of a scenario has no meaning any more. */
  private static final class Stop extends Exception {
    Stop(String why) {
      super(why);
    }
  }

  private final Askers askers;
  private final JsonNode scenario;
  private final Normaliser names;
  private final List<String> namespaces = new ArrayList<>();

  private Replay(Askers askers, JsonNode scenario) throws IOException, InterruptedException {
    this.askers = askers;
    this.scenario = scenario;
    var variables = new HashMap<String, String>();
    Set<String> fresh = new HashSet<>();
    scenario
        .path("vars")
        .properties()
        .forEach(e -> {
          String value = e.getValue().asText();
          if (value.equals("<namespace>") || value.equals("<name>")) {
            String made = "ex-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
            variables.put(e.getKey(), made);
            fresh.add(e.getKey());
            if (value.equals("<namespace>")) {
              namespaces.add(made);
            }
          } else {
            variables.put(e.getKey(), value);
          }
        });
    var nodes = new ArrayList<String>();
    json(send("GET", "/api/v1/nodes", null))
        .path("items")
        .forEach(node -> nodes.add(node.path("metadata").path("name").asText()));
    this.names = new Normaliser(scenario, variables, fresh, nodes);
  }

  /** Returns one line per step that differs; empty means the scenario passed. */
  public static List<String> run(Askers askers, byte[] scenario)
      throws IOException, InterruptedException {
    var replay = new Replay(askers, MAPPER.readTree(scenario));
    try {
      return replay.play();
    } finally {
      replay.cleanUp();
    }
  }

  private List<String> play() throws IOException, InterruptedException {
    for (String namespace : namespaces) {
      send("POST", "/api/v1/namespaces", named("Namespace", namespace));
      send(
          "POST",
          "/api/v1/namespaces/" + namespace + "/serviceaccounts",
          named("ServiceAccount", "default"));
    }
    var failures = new ArrayList<String>();
    int number = 0;
    for (JsonNode step : scenario.path("steps")) {
      number++;
      String title = "step %d (%s) ".formatted(number, step.path("title").asText());
      try {
        var got = perform(step);
        if (step.path("setup").asBoolean()) {
          if (got.path("status").asInt() >= 300 && !letsGoOfWhatIsGone(step, got)) {
            failures.add(title + "set-up failed: " + got);
            return failures;
          }
          continue;
        }
        for (String difference : settled(step, got)) {
          failures.add(title + difference);
        }
      } catch (Stop stop) {
        failures.add(title + stop.getMessage());
        return failures;
      }
    }
    return failures;
  }

  /**
   * Whether a set-up step takes the finalizers off an object that is gone already: here a collector
   * runs, and on a slow machine it does the same before the scenario's next request.
   */
  private static boolean letsGoOfWhatIsGone(JsonNode step, ObjectNode got) {
    var finalizers = step.path("request").path("body").path("metadata").path("finalizers");
    return got.path("status").asInt() == NOT_FOUND
        && step.path("request").path("method").asText().equals("PATCH")
        && finalizers.isNull();
  }

  /**
   * What a step waited for may be seen between two writes of a controller: those are not judged.
   */
  private List<String> settled(JsonNode step, ObjectNode first)
      throws IOException, InterruptedException, Stop {
    long end = System.nanoTime() + SETTLE.toNanos();
    var before = names.bindings();
    var differences = new Comparison(names).compare(step, step.path("expect"), first);
    while (step.has("await") && !differences.isEmpty() && System.nanoTime() < end) {
      LockSupport.parkNanos(LOOK_AGAIN.toNanos()); // a bounded wait for the recorded answer
      names.forget(before);
      differences = new Comparison(names).compare(step, step.path("expect"), perform(step));
    }
    return differences;
  }

  private ObjectNode perform(JsonNode step) throws IOException, InterruptedException, Stop {
    if (step.has("request")) {
      return outcome(
          step, sendUntil(names.fill(step.path("retry")), names.fill(step.path("request"))));
    }
    if (step.has("await")) {
      return await(step, names.fill(step.path("await")));
    }
    return watch(step, names.fill(step.path("watch")));
  }

  /** Sends it again until the answer shows that the server has caught up, if that is asked for. */
  private Response sendUntil(JsonNode retry, JsonNode request)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + seconds(retry.path("timeout").asDouble(20));
    while (true) {
      var response = send(request);
      var warnings = String.join(" ", response.headers().all("warning"));
      boolean met = true;
      for (JsonNode condition : retry.path("until")) {
        met &=
            condition.path(0).asText().equals("@warning")
                ? warnings.contains(condition.path(2).asText())
                : Conditions.holds(condition, String.valueOf(response.status()), json(response));
      }
      if (met || System.nanoTime() > end) {
        return response;
      }
      LockSupport.parkNanos(LOOK_AGAIN.toNanos()); // a bounded wait for the fact above
    }
  }

  private ObjectNode await(JsonNode step, JsonNode wait)
      throws IOException, InterruptedException, Stop {
    long end = System.nanoTime() + seconds(wait.path("timeout").asDouble(90));
    long hold = seconds(wait.path("hold").asDouble(0));
    long since = 0;
    while (true) {
      var response = send(wait);
      boolean met =
          Conditions.all(wait.path("until"), String.valueOf(response.status()), json(response));
      long now = System.nanoTime();
      if (met) {
        since = since == 0 ? now : since;
        if (now - since >= hold) {
          return outcome(step, response);
        }
      } else if (since != 0) {
        throw new Stop("did not stay: " + wait.path("until"));
      } else if (now > end) {
        throw new Stop(
            "waited in vain for %s; there is %s"
                .formatted(wait.path("until"), new String(response.body(), UTF_8)));
      }
      LockSupport.parkNanos(LOOK_AGAIN.toNanos()); // a bounded wait for the fact above
    }
  }

  private ObjectNode watch(JsonNode step, JsonNode watch)
      throws IOException, InterruptedException, Stop {
    var request = request(watch, "GET");
    String query = request.query().isEmpty() ? "watch=1" : "watch=1&" + request.query();
    var events = new ArrayList<JsonNode>();
    boolean met = false;
    boolean closed = false;
    var limit = Duration.ofNanos(seconds(watch.path("timeout").asDouble(90)));
    var as = watch.path("as");
    var asked = Askers.request(request.withQuery(query), as);
    try (var stream = askers.transport(as).open(asked)) {
      if (stream.status() != 200) {
        return outcome(step, new Response(stream.status(), stream.headers(), all(stream)));
      }
      var done = new CountDownLatch(1);
      var guard =
          Thread.ofVirtual().name("watch-limit").start(() -> closeAfter(limit, done, stream));
      while (!met && !closed) {
        byte[] frame = stream.next();
        if (frame == null) {
          closed = true;
        } else {
          var event = MAPPER.readTree(frame);
          events.add(event);
          met =
              (watch.has("count") && events.size() >= watch.path("count").asInt())
                  || (watch.has("until")
                      && Conditions.all(
                          watch.path("until"), event.path("type").asText(), event.path("object")));
        }
      }
      done.countDown();
      guard.join();
    }
    for (var capture : step.path("capture").properties()) {
      names.define(
          capture.getKey(),
          JsonPath.look(events.getLast().path("object"), capture.getValue().asText()).asText());
    }
    return seen(step, watch, events, met ? Ending.MET : closed ? Ending.CLOSED : Ending.LATE);
  }

  private ObjectNode seen(JsonNode step, JsonNode watch, List<JsonNode> events, Ending ending) {
    var result = JSON.objectNode().put("status", 200);
    var shown = result.putArray("events");
    for (JsonNode event : events) {
      var object = shape(step, event.path("object"));
      if (!step.has("facts")) {
        shown.addObject().put("type", event.path("type").asText()).set("object", object);
        continue;
      }
      var facts = project(object, step.path("facts"));
      if (facts.has("type")) {
        ((ObjectNode) facts).put("type", event.path("type").asText());
      }
      if (shown.isEmpty() || !shown.get(shown.size() - 1).equals(facts)) {
        shown.add(facts);
      }
    }
    if (ending == Ending.CLOSED) {
      result.put("ends", "closed");
    } else if (ending == Ending.LATE && (watch.has("count") || watch.has("until"))) {
      result.put("ends", "time limit");
    }
    return result;
  }

  private ObjectNode outcome(JsonNode step, Response response) throws Stop {
    var raw = json(response);
    for (var capture : step.path("capture").properties()) {
      var value = JsonPath.look(raw, capture.getValue().asText());
      if (value.isMissingNode()) {
        throw new Stop("cannot capture %s from %s".formatted(capture.getValue(), raw));
      }
      names.define(capture.getKey(), value.asText());
    }
    var result = JSON.objectNode().put("status", response.status());
    var headers = result.putObject("headers");
    response.headers().first("content-type").ifPresent(type -> headers.put("content-type", type));
    var warnings = response.headers().all("warning");
    if (!warnings.isEmpty()) {
      var list = headers.putArray("warning");
      warnings.forEach(warning -> list.add(names.text(warning)));
    }
    if (step.has("facts")) {
      var body = shape(step, raw);
      JsonPath.remove(
          body, Comparison.ignored(step).stream().filter(path -> path.startsWith("$")).toList());
      result.set("facts", project(body, step.path("facts")));
    } else if (response.body().length > 0) {
      result.set("body", shape(step, raw));
    }
    return result;
  }

  private JsonNode shape(JsonNode step, JsonNode raw) {
    JsonNode copy = raw.deepCopy();
    step.path("sort")
        .properties()
        .forEach(e -> {
          for (var place : JsonPath.find(copy, e.getKey())) {
            if (place.value() instanceof ArrayNode list) {
              var items = new ArrayList<JsonNode>();
              list.forEach(items::add);
              items.sort(
                  Comparator.comparing(
                      item -> JsonPath.look(item, "$." + e.getValue().asText()).asText()));
              list.removeAll();
              list.addAll(items);
            }
          }
        });
    if (step.path("managedFields").asBoolean(scenario.path("managedFields").asBoolean())) {
      JsonPath.find(copy, "$..managedFields").forEach(place -> sortManagers(place.value()));
    } else {
      JsonPath.find(copy, "$..managedFields").forEach(JsonPath.Place::remove);
    }
    return names.normal(copy);
  }

  /** Their order depends on the second they were made in. */
  private static void sortManagers(JsonNode entries) {
    if (entries instanceof ArrayNode list) {
      var items = new ArrayList<JsonNode>();
      list.forEach(items::add);
      items.sort(
          Comparator.comparing((JsonNode item) -> item.path("operation").asText())
              .thenComparing(item -> item.path("manager").asText())
              .thenComparing(item -> item.path("subresource").asText())
              .thenComparing(item -> item.path("apiVersion").asText()));
      list.removeAll();
      list.addAll(items);
    }
  }

  private static JsonNode project(JsonNode body, JsonNode facts) {
    if (facts.isObject()) {
      var entries = new ArrayList<JsonNode>();
      for (JsonNode entry : JsonPath.look(body, facts.path("each").asText())) {
        var projected = project(entry, facts.path("facts"));
        if (!facts.path("unique").asBoolean() || !entries.contains(projected)) {
          entries.add(projected);
        }
      }
      if (facts.path("sort").asBoolean()) {
        entries.sort(Comparator.comparing(JsonNode::toString));
      }
      return JSON.arrayNode().addAll(entries);
    }
    var result = JSON.objectNode();
    for (JsonNode path : facts) {
      var value =
          path.asText().equals("type") ? JSON.nullNode() : JsonPath.look(body, path.asText());
      result.set(path.asText(), value.isMissingNode() ? JSON.nullNode() : value);
    }
    return result;
  }

  private Response send(JsonNode request) throws IOException, InterruptedException {
    var as = request.path("as");
    var sent = Askers.request(request(request, request.path("method").asText("GET")), as);
    return askers.transport(as).send(sent);
  }

  private Response send(
      String method, String path, @org.jspecify.annotations.Nullable JsonNode body)
      throws IOException, InterruptedException {
    byte[] bytes = body == null ? new byte[0] : MAPPER.writeValueAsBytes(body);
    return askers.admin().send(Request.of(method, path, "application/json", bytes));
  }

  private static Request request(JsonNode request, String method) throws IOException {
    var headers = Headers.NONE;
    byte[] body = {};
    if (request.has("bodyText")) {
      body = request.path("bodyText").asText().getBytes(UTF_8);
    } else if (request.has("bodyBase64")) {
      body = Base64.getDecoder().decode(request.path("bodyBase64").asText());
    } else if (request.has("body")) {
      body = MAPPER.writeValueAsBytes(request.path("body"));
    }
    for (var header : request.path("headers").properties()) {
      headers = headers.and(header.getKey(), header.getValue().asText());
    }
    if (headers.first("user-agent").isEmpty()) {
      headers = headers.and("user-agent", "exchange/1.0");
    }
    if (headers.first("accept").isEmpty()) {
      headers = headers.and("accept", "application/json");
    }
    if (body.length > 0 && headers.first("content-type").isEmpty()) {
      headers = headers.and("content-type", "application/json");
    }
    return new Request(
        method, request.path("path").asText(), query(request.path("query")), headers, body);
  }

  /** As it stands, or from its parameters; one with a list of values is there once for each. */
  private static String query(JsonNode query) {
    var words = new ArrayList<String>();
    for (var parameter : query.properties()) {
      var values =
          parameter.getValue().isArray() ? parameter.getValue() : List.of(parameter.getValue());
      for (JsonNode value : values) {
        words.add(
            URLEncoder.encode(parameter.getKey(), UTF_8)
                + "="
                + URLEncoder.encode(value.asText(), UTF_8));
      }
    }
    return query.isTextual() ? query.asText() : String.join("&", words);
  }

  private static JsonNode json(Response response) {
    boolean json =
        response.headers().first("content-type").orElse("").contains("json")
            || (response.body().length > 0 && response.body()[0] == '{');
    try {
      return json ? MAPPER.readTree(response.body()) : text(response);
    } catch (IOException e) {
      return text(response);
    }
  }

  private static JsonNode text(Response response) {
    return JSON.textNode(new String(response.body(), UTF_8));
  }

  private static byte[] all(Transport.Stream stream) throws IOException, InterruptedException {
    var out = new java.io.ByteArrayOutputStream();
    for (byte[] frame = stream.next(); frame != null; frame = stream.next()) {
      out.writeBytes(frame);
    }
    return out.toByteArray();
  }

  private static void closeAfter(Duration limit, CountDownLatch done, Transport.Stream stream) {
    try {
      if (!done.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        stream.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static ObjectNode named(String kind, String name) {
    var object = JSON.objectNode().put("apiVersion", "v1").put("kind", kind);
    object.putObject("metadata").put("name", name);
    return object;
  }

  private void cleanUp() throws IOException, InterruptedException {
    for (JsonNode path : scenario.path("cleanup")) {
      send("DELETE", names.fill(path.asText()), null);
    }
    for (String namespace : namespaces) {
      for (String collection : List.of("pods")) {
        String path = "/api/v1/namespaces/" + namespace + "/" + collection;
        askers
            .admin()
            .send(new Request("DELETE", path, "gracePeriodSeconds=0", Headers.NONE, new byte[0]));
      }
      send("DELETE", "/api/v1/namespaces/" + namespace, null);
    }
  }

  private static long seconds(double seconds) {
    return (long) (seconds * 1e9);
  }
}
