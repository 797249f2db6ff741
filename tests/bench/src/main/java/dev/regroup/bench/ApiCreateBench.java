package dev.regroup.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.api.Gates;
import dev.regroup.client.HttpsTransport;
import dev.regroup.client.PemTls;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.server.ApiServer;
import dev.regroup.server.Identity;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The API server alone: sixteen clients create 2 KB objects, straight into the pipeline and over
 * HTTPS. Client and server share this machine's cores.
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
                new SecureRandom()))) {
      var admin = server.admin();
      var tls = PemTls.context(admin.caPem(), admin.certificatePem(), admin.keyPem());
      var numbers = new AtomicInteger();
      var https = new HttpsTransport(server.address(), tls, Optional::empty);
      var inProcess = server.inProcess(Identity.admin());
      return List.of(
          measure("api-create-2k-in-process", inProcess, folder, effort, numbers),
          measure("api-create-2k-https", https, folder, effort, numbers));
    }
  }

  private static Figure measure(
      String name, Transport transport, Path folder, Effort effort, AtomicInteger numbers)
      throws Exception {
    var rates = new ArrayList<Double>();
    var floors = new ArrayList<Double>();
    Rate.Write write = number -> create(transport, number);
    Rate.slice(write, numbers); // warm-up
    for (int round = 0; round < Math.ceilDiv(effort.rounds(), 5); round++) {
      floors.add(Rate.diskSlice(folder.resolve("floor")));
      rates.add(Rate.slice(write, numbers));
    }
    return new Figure(name, Figure.Unit.PER_SECOND, new Samples(rates), new Samples(floors));
  }

  private static void create(Transport transport, int number) throws Exception {
    String head =
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c-%d\"},\"data\":{\"text\":\""
            .formatted(number);
    String json = head + "x".repeat(Rate.BYTES - head.length() - 4) + "\"}}\n";
    var response =
        transport.send(Request.of("POST", PATH, "application/json", json.getBytes(UTF_8)));
    if (response.status() != 201) {
      throw new IllegalStateException("refused: " + new String(response.body(), UTF_8));
    }
  }
}
