package dev.regroup.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.bench.outside.OutsideClients;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What clients ask of an API server, one sample at a time, so that two servers can be asked in
 * turn: sixteen of them with a connection each create, patch and apply pods of 2 KB, and one lists
 * 10,000.
 */
final class OutsideLoad {

  private static final int LISTED = 10_000;
  private static final String PODS = "/api/v1/namespaces/%s/pods";
  private static final String MERGE = "application/merge-patch+json";
  private static final String JSON = "application/json";

  private final List<Transport> clients;
  private final AtomicInteger created = new AtomicInteger();
  private final AtomicInteger patched = new AtomicInteger();
  private final AtomicInteger applied = new AtomicInteger();

  OutsideLoad(OutsideClients server) {
    this.clients = server.connect(Rate.CLIENTS);
  }

  /** Pods a second. */
  double creates() throws Exception {
    return Rate.slice(number -> create(of(number), "default", number), created);
  }

  /** Merge patches of what was created, a second. */
  double patches() throws Exception {
    return Rate.slice(number -> patch(of(number), number % created.get(), number), patched);
  }

  /** Server-side applies of what was created, a second. */
  double applies() throws Exception {
    return Rate.slice(number -> apply(of(number), number % created.get(), number), applied);
  }

  private Transport of(int number) {
    return clients.get(number % clients.size());
  }

  /** Makes what {@link #list} lists. */
  void fill() throws Exception {
    OutsideClients.send(
        clients.getFirst(),
        "POST",
        "/api/v1/namespaces",
        JSON,
        "{\"metadata\":{\"name\":\"many\"}}");
    OutsideClients.ensureAccount(clients.getFirst(), "many");
    var numbers = new AtomicInteger();
    Rate.Write create =
        number -> {
          if (number < LISTED) {
            create(of(number), "many", number);
          }
        };
    while (numbers.get() < LISTED) {
      Rate.slice(create, numbers);
    }
  }

  /** One list: how long, and how many bytes. */
  record Listed(Duration time, int bytes) {}

  Listed list() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    var answer = clients.getFirst().send(Request.get(PODS.formatted("many"), ""));
    var time = Duration.ofNanos(System.nanoTime() - begin);
    if (!answer.ok()) {
      throw new IOException("no list: HTTP " + answer.status());
    }
    return new Listed(time, answer.body().length);
  }

  private static void create(Transport client, String namespace, int number) throws Exception {
    OutsideClients.send(client, "POST", PODS.formatted(namespace), JSON, pod(number));
  }

  private static void patch(Transport client, int pod, int number) throws Exception {
    var body = "{\"metadata\":{\"annotations\":{\"number\":\"" + number + "\"}}}";
    OutsideClients.send(client, "PATCH", PODS.formatted("default") + "/p-" + pod, MERGE, body);
  }

  /** The whole pod with another annotation: what it says of it all belongs to the applier. */
  private static void apply(Transport client, int pod, int number) throws Exception {
    var configuration =
        pod(pod)
            .replace("\"labels\"", "\"annotations\":{\"number\":\"" + number + "\"},\"labels\"");
    var request =
        new Request(
            "PATCH",
            PODS.formatted("default") + "/p-" + pod,
            "fieldManager=bench&force=true",
            Headers.of("content-type", "application/apply-patch+yaml"),
            configuration.getBytes(UTF_8));
    var answer = client.send(request);
    if (!answer.ok()) {
      throw new IllegalStateException("not applied: HTTP " + answer.status());
    }
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
