package dev.regroup.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.api.Wire;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.store.Settings;
import dev.regroup.store.Store;
import dev.regroup.store.WriteOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The API server as its clients meet it: it is another process, and everything goes over HTTPS.
 * Sixteen clients with a connection each create and patch pods of 2 KB; one lists 10,000; one
 * changes an object that 1,000 watch. The floor of writes is that of {@link ApiCreateBench}, of the
 * others the same bytes through a bare connection.
 */
final class OutsideBench implements Benchmark {

  private static final int LISTED = 10_000;
  private static final int WATCHES = 1_000;
  private static final int WATCHES_OF_ONE_CONNECTION = 250;
  private static final String PODS = "/api/v1/namespaces/%s/pods";
  private static final String MERGE = "application/merge-patch+json";
  private static final String JSON = "application/json";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Override
  public String name() {
    return "outside";
  }

  @Override
  public List<Figure> run(Path folder, Effort effort) throws Exception {
    int rounds = Math.max(3, Math.ceilDiv(effort.rounds(), 5));
    try (var server = OutsideServer.start(folder);
        var store = Store.open(folder.resolve("floor"), Settings.STANDARD)) {
      var clients = server.connect(Rate.CLIENTS);
      OutsideServer.awaitAccount(clients.getFirst());
      var stored = new AtomicInteger();
      Rate.Write floor = number -> keep(store, number);
      Rate.warmUp(floor, stored);
      var made = new AtomicInteger();
      Rate.Write create = number -> create(of(clients, number), "default", number);
      var creates = rate("outside-create-2k", create, made, floor, stored, rounds);
      int there = made.get();
      Rate.Write patch = number -> patch(of(clients, number), number % there, number);
      var patches = rate("outside-patch-2k", patch, new AtomicInteger(), floor, stored, rounds);
      return List.of(creates, patches, list(clients, rounds), fanOut(server, rounds));
    }
  }

  private static Transport of(List<Transport> clients, int number) {
    return clients.get(number % clients.size());
  }

  private static Figure rate(
      String name,
      Rate.Write write,
      AtomicInteger numbers,
      Rate.Write floor,
      AtomicInteger stored,
      int rounds)
      throws Exception {
    var rates = new ArrayList<Double>();
    var floors = new ArrayList<Double>();
    Rate.warmUp(write, numbers);
    for (int round = 0; round < rounds; round++) {
      floors.add(Rate.slice(floor, stored));
      rates.add(Rate.slice(write, numbers));
    }
    return new Figure(name, Figure.Unit.PER_SECOND, new Samples(rates), new Samples(floors));
  }

  private static Figure list(List<Transport> clients, int rounds) throws Exception {
    OutsideServer.send(
        clients.getFirst(),
        "POST",
        "/api/v1/namespaces",
        JSON,
        "{\"metadata\":{\"name\":\"many\"}}");
    var numbers = new AtomicInteger();
    Rate.Write create =
        number -> {
          if (number < LISTED) {
            create(of(clients, number), "many", number);
          }
        };
    while (numbers.get() < LISTED) {
      Rate.slice(create, numbers);
    }
    var times = new ArrayList<Duration>();
    var floors = new ArrayList<Duration>();
    for (int round = 0; round < rounds; round++) {
      long begin = System.nanoTime();
      var answer = clients.getFirst().send(Request.get(PODS.formatted("many"), ""));
      times.add(Duration.ofNanos(System.nanoTime() - begin));
      if (!answer.ok()) {
        throw new IllegalStateException("no list: HTTP " + answer.status());
      }
      floors.add(LoopbackFloor.send(1, answer.body().length));
    }
    return new Figure(
        "outside-list-10k", Figure.Unit.MILLIS, Samples.ofMillis(times), Samples.ofMillis(floors));
  }

  /** Every watch has a thread that waits for the next round's event. */
  private static Figure fanOut(OutsideServer server, int rounds) throws Exception {
    var writer = server.connect();
    var path = "/api/v1/namespaces/default/configmaps";
    OutsideServer.send(
        writer,
        "POST",
        path,
        JSON,
        "{\"metadata\":{\"name\":\"shared\"},\"data\":{\"text\":\"%s\"}}"
            .formatted("x".repeat(Rate.BYTES)));
    var readers = server.connect(WATCHES / WATCHES_OF_ONE_CONNECTION);
    var told = new AtomicReference<>(new CountDownLatch(WATCHES));
    var streams = new ArrayList<Transport.Stream>();
    var size = new AtomicInteger();
    try {
      for (int i = 0; i < WATCHES; i++) {
        var query = "watch=true&fieldSelector=metadata.name%3Dshared";
        var stream = of(readers, i).open(Request.get(path, query));
        streams.add(stream);
        Thread.ofVirtual().start(() -> follow(stream, told, size));
      }
      await(told.get()); // of what is there
      var times = new ArrayList<Duration>();
      var floors = new ArrayList<Duration>();
      for (int round = 0; round < rounds; round++) {
        var all = new CountDownLatch(WATCHES);
        told.set(all);
        long begin = System.nanoTime();
        OutsideServer.send(
            writer, "PATCH", path + "/shared", MERGE, "{\"data\":{\"round\":\"" + round + "\"}}");
        await(all);
        times.add(Duration.ofNanos(System.nanoTime() - begin));
        floors.add(LoopbackFloor.send(WATCHES, size.get()));
      }
      return new Figure(
          "outside-fanout-1000",
          Figure.Unit.MILLIS,
          Samples.ofMillis(times),
          Samples.ofMillis(floors));
    } finally {
      streams.forEach(Transport.Stream::close);
    }
  }

  private static void follow(
      Transport.Stream stream, AtomicReference<CountDownLatch> told, AtomicInteger size) {
    try {
      for (var frame = stream.next(); frame != null; frame = stream.next()) {
        size.set(frame.length);
        told.get().countDown();
      }
    } catch (Transport.Unreachable e) {
      return; // closed: the round that waits for it notices
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void await(CountDownLatch all) throws InterruptedException {
    if (!all.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new IllegalStateException(all.getCount() + " watches were not told");
    }
  }

  private static void keep(Store store, int number) throws Exception {
    byte[] encoded = Wire.write(Wire.tree(pod(number).getBytes(UTF_8)));
    if (!(store.create("objects", "n/" + number, _ -> encoded) instanceof WriteOutcome.Committed)) {
      throw new IllegalStateException("not written: " + number);
    }
  }

  private static void create(Transport client, String namespace, int number) throws Exception {
    OutsideServer.send(client, "POST", PODS.formatted(namespace), JSON, pod(number));
  }

  private static void patch(Transport client, int pod, int number) throws Exception {
    var body = "{\"metadata\":{\"annotations\":{\"number\":\"" + number + "\"}}}";
    OutsideServer.send(client, "PATCH", PODS.formatted("default") + "/p-" + pod, MERGE, body);
  }

  /** A pod that nobody schedules, about 2 KB as it is stored. */
  static String pod(int number) {
    var variables = new ArrayList<String>();
    for (int i = 0; i < 20; i++) {
      variables.add("{\"name\":\"VARIABLE_%02d\",\"value\":\"%s\"}".formatted(i, "v".repeat(24)));
    }
    return """
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p-%d","labels":{"app":"bench"}},"spec":{
    "schedulerName":"nobody","automountServiceAccountToken":false,"containers":[{"name":"a",
    "image":"registry.example/a:1","env":[%s],"resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}}
    """
        .formatted(number, String.join(",", variables));
  }
}
