package dev.regroup.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * A small API server in memory that is correct about what clients rely on: revisions, conflicts,
 * pages, watches from a revision, 410 for what is forgotten. It serves one resource, pods, and can
 * be told to break connections.
 */
public final class FakeApi implements Transport {

  private static final JsonMapper JSON = new JsonMapper();
  private static final byte[] END = {};

  public static final Resource<ObjectNode> PODS = Resource.namespaced("", "v1", "pods", Codec.TREE);

  private record Event(long revision, String type, ObjectNode object) {}

  private final Map<String, ObjectNode> objects = new TreeMap<>(); // guarded by this
  private final List<Event> events = new ArrayList<>(); // guarded by this
  private final List<FakeStream> streams = new ArrayList<>(); // guarded by this
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private long revision = 10;
  private long forgotten; // revisions up to here cannot be watched
  private int uids;
  private volatile boolean down;
  private volatile String warning = "";

  public List<Request> requests() {
    return requests;
  }

  void warnWith(String header) {
    warning = header;
  }

  public synchronized ObjectNode put(String namespace, String name, String value) {
    var key = namespace + "/" + name;
    var old = objects.get(key);
    var object = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Pod");
    object
        .putObject("metadata")
        .put("name", name)
        .put("namespace", namespace)
        .put("uid", old == null ? "uid-" + ++uids : old.at("/metadata/uid").asText());
    object.putObject("spec").put("value", value);
    commit(old == null ? "ADDED" : "MODIFIED", key, object);
    return object;
  }

  public synchronized void remove(String namespace, String name) {
    var key = namespace + "/" + name;
    var old = objects.get(key);
    if (old != null) {
      commit("DELETED", key, old.deepCopy());
    }
  }

  private void commit(String type, String key, ObjectNode object) {
    revision++;
    ((ObjectNode) object.path("metadata")).put("resourceVersion", Long.toString(revision));
    if (type.equals("DELETED")) {
      objects.remove(key);
    } else {
      objects.put(key, object);
    }
    var event = new Event(revision, type, object);
    events.add(event);
    streams.forEach(stream -> stream.offer(event));
  }

  /** Sends a bookmark to all watches. */
  public synchronized void bookmark() {
    revision++;
    var object = JSON.createObjectNode();
    object.putObject("metadata").put("resourceVersion", Long.toString(revision));
    streams.forEach(stream -> stream.offer(new Event(revision, "BOOKMARK", object)));
  }

  /** Ends all watches as a server does when their time is over. */
  public synchronized void endStreams() {
    List.copyOf(streams).forEach(FakeStream::close);
  }

  /** Breaks all watches off. */
  public synchronized void breakStreams() {
    List.copyOf(streams).forEach(FakeStream::breakOff);
  }

  /** Tells all watches that they are too old, in the stream. */
  public synchronized void expireStreams() {
    var status =
        JSON.createObjectNode().put("kind", "Status").put("code", 410).put("reason", "Expired");
    List.copyOf(streams).forEach(s -> s.offer(new Event(revision, "ERROR", status)));
  }

  /** Forgets all events, so that older watches get 410. */
  public synchronized void forget() {
    forgotten = revision;
    events.clear();
  }

  public void down(boolean value) {
    down = value;
  }

  public synchronized int watches() {
    return streams.size();
  }

  public synchronized Map<String, String> state() {
    var state = new TreeMap<String, String>();
    objects.forEach((key, object) -> state.put(key, object.at("/spec/value").asText()));
    return state;
  }

  @Override
  public Response send(Request request) throws Unreachable {
    requests.add(request);
    if (down) {
      throw new Unreachable("down", new IOException("down"));
    }
    try {
      return answer(request);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private synchronized Response answer(Request request) throws IOException {
    var path =
        request.path().split("/", -1); // "", api, v1, [namespaces, ns,] pods [, name [, sub]]
    boolean inNamespace = path.length > 3 && path[3].equals("namespaces");
    var namespace = inNamespace ? path[4] : "";
    int at = inNamespace ? 6 : 4;
    var name = path.length > at ? path[at] : "";
    var key = namespace + "/" + name;
    var query = query(request.query());
    if (!name.isEmpty() && !objects.containsKey(key)) {
      return failure(404, "NotFound", "pods \"%s\" not found".formatted(name));
    }
    return switch (request.method()) {
      case "GET" -> name.isEmpty() ? list(namespace, query) : ok(object(key));
      case "POST" -> name.isEmpty() ? create(namespace, request) : ok(object(key));
      case "PUT" -> update(key, (ObjectNode) JSON.readTree(request.body()));
      case "PATCH" -> {
        var patched = object(key).deepCopy();
        JSON.readerForUpdating(patched).readValue(request.body());
        yield update(key, patched);
      }
      case "DELETE" -> {
        remove(namespace, name);
        yield ok(JSON.createObjectNode().put("kind", "Status").put("status", "Success"));
      }
      default -> failure(405, "MethodNotAllowed", "no");
    };
  }

  private ObjectNode object(String key) {
    var object = objects.get(key);
    if (object == null) {
      throw new IllegalStateException(key);
    }
    return object;
  }

  private Response create(String namespace, Request request) throws IOException {
    var given = JSON.readTree(request.body());
    var name = given.at("/metadata/name").asText();
    if (objects.containsKey(namespace + "/" + name)) {
      return failure(409, "AlreadyExists", "pods \"%s\" already exists".formatted(name));
    }
    return ok(put(namespace, name, given.at("/spec/value").asText()));
  }

  private Response update(String key, ObjectNode given) {
    var old = object(key);
    var expected = given.at("/metadata/resourceVersion").asText("");
    if (!expected.isEmpty() && !expected.equals(old.at("/metadata/resourceVersion").asText())) {
      return failure(409, "Conflict", "the object has been modified");
    }
    commit("MODIFIED", key, given);
    return ok(given);
  }

  private Response list(String namespace, Map<String, String> query) {
    int limit = Integer.parseInt(query.getOrDefault("limit", "0"));
    var after = query.getOrDefault("continue", "");
    var list = JSON.createObjectNode().put("kind", "PodList");
    var metadata = list.putObject("metadata").put("resourceVersion", Long.toString(revision));
    var items = list.putArray("items");
    for (var entry : objects.entrySet()) {
      if (entry.getKey().compareTo(after) <= 0 || !entry.getKey().startsWith(namespace)) {
        continue;
      }
      if (limit > 0 && items.size() == limit) {
        var last = items.get(limit - 1).path("metadata");
        metadata.put(
            "continue", last.path("namespace").asText() + "/" + last.path("name").asText());
        break;
      }
      items.add(entry.getValue());
    }
    return ok(list);
  }

  @Override
  public synchronized Stream open(Request request) throws Unreachable {
    requests.add(request);
    if (down) {
      throw new Unreachable("down", new IOException("down"));
    }
    long after = Long.parseLong(query(request.query()).getOrDefault("resourceVersion", "0"));
    if (after < forgotten) {
      var failure = failure(410, "Expired", "too old resource version");
      var refused = new FakeStream(410, failure.headers());
      refused.frames.add(failure.body());
      refused.frames.add(END);
      return refused;
    }
    var stream = new FakeStream(200, Headers.NONE);
    events.stream().filter(event -> event.revision() > after).forEach(stream::offer);
    streams.add(stream);
    return stream;
  }

  private Response ok(JsonNode body) {
    var headers = Headers.of("content-type", "application/json");
    var all = warning.isEmpty() ? headers : headers.and("Warning", warning);
    return new Response(200, all, body.toString().getBytes(UTF_8));
  }

  private static Response failure(int code, String reason, String message) {
    var status =
        JSON.createObjectNode()
            .put("kind", "Status")
            .put("status", "Failure")
            .put("code", code)
            .put("reason", reason)
            .put("message", message);
    return new Response(code, Headers.NONE, status.toString().getBytes(UTF_8));
  }

  private static Map<String, String> query(String text) {
    var query = new HashMap<String, String>();
    for (var part : text.split("&", -1)) {
      int equals = part.indexOf('=');
      if (equals > 0) {
        query.put(part.substring(0, equals), URLDecoder.decode(part.substring(equals + 1), UTF_8));
      }
    }
    return query;
  }

  private final class FakeStream implements Stream {
    private final LinkedBlockingQueue<byte[]> frames = new LinkedBlockingQueue<>();
    private final int status;
    private final Headers headers;
    private volatile boolean broken;

    private FakeStream(int status, Headers headers) {
      this.status = status;
      this.headers = headers;
    }

    private void offer(Event event) {
      var frame = JSON.createObjectNode().put("type", event.type());
      frame.set("object", event.object());
      frames.add(frame.toString().getBytes(UTF_8));
    }

    private void breakOff() {
      broken = true;
      close();
    }

    @Override
    public int status() {
      return status;
    }

    @Override
    public Headers headers() {
      return headers;
    }

    @Override
    public byte @Nullable [] next() throws Unreachable, InterruptedException {
      byte[] frame = frames.take();
      if (frame.length > 0) {
        return frame;
      }
      frames.add(END); // for whoever asks again
      if (broken) {
        throw new Unreachable("broken off", new IOException("reset"));
      }
      return null;
    }

    @Override
    public void close() {
      synchronized (FakeApi.this) {
        streams.remove(this);
      }
      frames.add(END);
    }
  }
}
