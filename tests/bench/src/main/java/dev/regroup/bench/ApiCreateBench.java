package dev.regroup.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.server.ApiServer;
import dev.regroup.server.access.Identity;
import dev.regroup.store.Settings;
import dev.regroup.store.Store;
import dev.regroup.store.WriteOutcome;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The API server alone: sixteen clients create 2 KB objects, straight into the pipeline and over
 * HTTPS. Client and server share this machine's cores. The floor is what no API server is spared:
 * the same objects decoded, encoded again and stored durably.
 */
final class ApiCreateBench implements Benchmark {

  private static final String PATH = "/api/v1/namespaces/default/configmaps";

  @Override
  public String name() {
    return "api-create";
  }

  @Override
  public List<Figure> run(Path folder, Effort effort) throws Exception {
    try (var server =
            ApiServer.start(
                new ApiServer.Settings(
                    folder.resolve("data"),
                    0,
                    Gates.product(),
                    InstantSource.system(),
                    new SecureRandom()));
        var store = Store.open(folder.resolve("floor"), Settings.STANDARD)) {
      var https = server.admin().connect(server.address());
      var inProcess = server.inProcess(Identity.admin());
      var numbers = new AtomicInteger();
      Rate.Write floor = number -> store(store, number);
      Rate.warmUp(floor, numbers);
      return List.of(
          measure("api-create-2k-in-process", inProcess, floor, effort, numbers),
          measure("api-create-2k-https", https, floor, effort, numbers));
    }
  }

  private static Figure measure(
      String name, Transport transport, Rate.Write floor, Effort effort, AtomicInteger numbers)
      throws Exception {
    var rates = new ArrayList<Double>();
    var floors = new ArrayList<Double>();
    Rate.Write write = number -> create(transport, number);
    Rate.warmUp(write, numbers);
    for (int round = 0; round < Math.ceilDiv(effort.rounds(), 2); round++) {
      floors.add(Rate.slice(floor, numbers));
      rates.add(Rate.slice(write, numbers));
    }
    return new Figure(name, Figure.Unit.PER_SECOND, new Samples(rates), new Samples(floors));
  }

  private static void store(Store store, int number) throws Exception {
    byte[] encoded = Wire.write(Wire.tree(manifest(number)));
    var outcome = store.create("objects", "n/" + number, _ -> encoded);
    if (!(outcome instanceof WriteOutcome.Committed)) {
      throw new IllegalStateException("not written: " + outcome);
    }
  }

  private static void create(Transport transport, int number) throws Exception {
    var response = transport.send(Request.of("POST", PATH, "application/json", manifest(number)));
    if (response.status() != 201) {
      throw new IllegalStateException("refused: " + new String(response.body(), UTF_8));
    }
  }

  private static byte[] manifest(int number) {
    String head =
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c-%d\"},\"data\":{\"text\":\""
            .formatted(number);
    return (head + "x".repeat(Rate.BYTES - head.length() - 4) + "\"}}\n").getBytes(UTF_8);
  }
}
