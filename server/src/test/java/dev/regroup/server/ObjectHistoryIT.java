package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.server.ObjectHistory.Call;
import dev.regroup.server.ObjectHistory.Event;
import dev.regroup.server.ObjectHistory.Kind;
import dev.regroup.server.TestServer.Carrier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that write and read the same few objects at once, over HTTPS. What each was told is
 * recorded with the time of its call and its answer, and compared with the one order of writes that
 * a watch from the beginning has seen.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ObjectHistoryIT {

  private static final long SEED = 20261117;
  private static final int CLIENTS = 6;
  private static final int CALLS = 400;
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;

  @Test
  void clients_see_one_order_of_writes_and_no_write_is_lost() throws Exception {
    var calls = new ArrayList<Call>();
    List<Event> events;
    try (var server = TestServer.start(directory);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var admin = server.admin(Carrier.HTTPS);
      var beginning = admin.get(MAPS).expect(200).version();
      var watch = threads.submit(() -> follow(server.admin(Carrier.HTTPS), beginning));
      var clients = new ArrayList<Future<List<Call>>>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(threads.submit(client(server.admin(Carrier.HTTPS), i)));
      }
      for (var client : clients) {
        calls.addAll(client.get());
      }
      admin.post(MAPS, "{'metadata':{'name':'end'}}").expect(201);
      events = watch.get();
    }

    var history = new ObjectHistory(events, calls);

    assertThat(history.faults()).as("seed %d", SEED).isEmpty();
    assertThat(calls.stream().filter(Call::wrote).count()).isGreaterThan(CALLS);
    assertThat(calls).anyMatch(call -> call.status() == 409).anyMatch(call -> call.status() == 404);
  }

  @Test
  void as_many_increments_as_succeeded_are_counted() throws Exception {
    int each = 60;
    try (var server = TestServer.start(directory);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var admin = server.admin(Carrier.HTTPS);
      admin.post(MAPS, "{'metadata':{'name':'n'},'data':{'count':'0'}}").expect(201);
      var clients = new ArrayList<Future<Integer>>();
      for (int i = 0; i < CLIENTS; i++) {
        var api = server.admin(Carrier.HTTPS);
        clients.add(threads.submit(() -> increments(api, each)));
      }
      int succeeded = 0;
      for (var client : clients) {
        succeeded += client.get();
      }

      assertThat(admin.get(MAPS + "/n").text("/data/count")).isEqualTo("" + succeeded);
      assertThat(succeeded).isGreaterThanOrEqualTo(each);
    }
  }

  private static int increments(Api api, int tries) throws Exception {
    int succeeded = 0;
    for (int i = 0; i < tries; i++) {
      var read = api.get(MAPS + "/n").expect(200);
      int next = Integer.parseInt(read.text("/data/count")) + 1;
      var patch = "{'metadata':{'resourceVersion':'%s'},'data':{'count':'%d'}}";
      var got = api.merge(MAPS + "/n", patch.formatted(read.version(), next));
      assertThat(got.status()).isIn(200, 409);
      succeeded += got.status() == 200 ? 1 : 0;
    }
    return succeeded;
  }

  private static List<Event> follow(Api api, String beginning) throws Exception {
    var events = new ArrayList<Event>();
    try (var watch = api.watch(MAPS + "?watch=1&resourceVersion=" + beginning)) {
      while (true) {
        var event = watch.nextEvent();
        var object = event.path("object");
        var name = object.at("/metadata/name").asText();
        if (name.equals("end")) {
          return events;
        }
        events.add(
            new Event(
                event.path("type").asText(),
                name,
                revision(object),
                object.at("/metadata/uid").asText(),
                data(object)));
      }
    }
  }

  /** One thread that calls, and the version of each object it saw last. */
  private static Callable<List<Call>> client(Api api, int number) {
    return () -> {
      var random = new Random(SEED + number);
      var calls = new ArrayList<Call>();
      var seen = new TreeMap<String, String>();
      for (int i = 0; i < CALLS; i++) {
        var name = NAMES.get(random.nextInt(NAMES.size()));
        var value = number + "." + i; // never written twice
        var field = "by" + number;
        var version = seen.getOrDefault(name, "1");
        calls.add(
            switch (random.nextInt(12)) {
              case 0, 1 -> call(Kind.CREATE, api, name, "", field, value);
              case 2 -> call(Kind.UPDATE, api, name, "", field, value);
              case 3, 4 -> call(Kind.UPDATE, api, name, version, field, value);
              case 5, 6 -> call(Kind.MERGE, api, name, "", field, value);
              case 7 -> call(Kind.MERGE, api, name, version, field, value);
              case 8 -> call(Kind.DELETE, api, name, "", field, value);
              case 9 -> call(Kind.LIST, api, "", "", field, value);
              default -> call(Kind.GET, api, name, "", field, value);
            });
        var last = calls.getLast();
        if (last.revision() > 0 && last.kind() != Kind.LIST) {
          seen.put(name, "" + last.revision());
        }
      }
      return calls;
    };
  }

  private static Call call(
      Kind kind, Api api, String name, String version, String field, String value)
      throws Exception {
    ObjectNode object = JSON.createObjectNode();
    object.putObject("metadata").put("name", name);
    if (!version.isEmpty()) {
      object.withObject("/metadata").put("resourceVersion", version);
    }
    object.putObject("data").put(field, value);
    var path = MAPS + "/" + name;
    long called = System.nanoTime();
    var got =
        switch (kind) {
          case CREATE -> api.post(MAPS, object.toString());
          case UPDATE -> api.put(path, object.toString());
          case MERGE -> api.merge(path, object.toString());
          case DELETE -> api.delete(path);
          case GET -> api.get(path);
          case LIST -> api.get(MAPS);
        };
    long answered = System.nanoTime();
    var body = got.body();
    return new Call(
        kind,
        name,
        version.isEmpty() ? 0 : Long.parseLong(version),
        Map.of(field, value),
        called,
        answered,
        got.status(),
        got.status() < 300 && kind != Kind.DELETE ? revision(body) : 0,
        kind == Kind.DELETE ? body.at("/details/uid").asText() : body.at("/metadata/uid").asText(),
        kind == Kind.LIST ? listed(body) : Map.of(name, data(body)));
  }

  private static long revision(JsonNode object) {
    return Long.parseLong(object.at("/metadata/resourceVersion").asText());
  }

  private static Map<String, Map<String, String>> listed(JsonNode list) {
    var all = new TreeMap<String, Map<String, String>>();
    for (var item : list.path("items")) {
      var name = item.at("/metadata/name").asText();
      if (NAMES.contains(name)) { // the server has one of its own
        all.put(name, data(item));
      }
    }
    return all;
  }

  private static Map<String, String> data(JsonNode object) {
    var data = new TreeMap<String, String>();
    object.path("data").properties().forEach(e -> data.put(e.getKey(), e.getValue().asText()));
    return data;
  }
}
