package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.server.TestServer.Carrier;
import java.net.Inet4Address;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The service under which pods find the API, as a real cluster has it. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class KubernetesServiceIT {
  private static final String SERVICE = "/api/v1/namespaces/default/services/kubernetes";
  private static final String SLICE =
      "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
  private static final String ENDPOINTS = "/api/v1/namespaces/default/endpoints/kubernetes";
  private static final List<String> PATHS = List.of(SERVICE, SLICE, ENDPOINTS);
  private static final Inet4Address HOST = Inet4Address.ofLiteral("10.213.0.2");
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @Test
  void is_there_as_soon_as_the_server_is_advertised(@TempDir Path directory) throws Exception {
    try (var server = TestServer.start(directory)) {
      server.server().advertise(HOST);

      var admin = server.admin(Carrier.IN_PROCESS);
      int port = server.server().address().getPort();
      var service = admin.get(SERVICE).expect(200);
      assertThat(service.text("/metadata/labels/component")).isEqualTo("apiserver");
      assertThat(service.text("/metadata/labels/provider")).isEqualTo("kubernetes");
      assertThat(service.text("/spec/clusterIP")).isEqualTo("10.96.0.1");
      assertThat(service.text("/spec/clusterIPs/0")).isEqualTo("10.96.0.1");
      assertThat(service.text("/spec/type")).isEqualTo("ClusterIP");
      assertThat(service.body().at("/spec/ports").toString())
          .isEqualTo(
              "[{\"name\":\"https\",\"protocol\":\"TCP\",\"port\":443,\"targetPort\":%d}]"
                  .formatted(port));
      var slice = admin.get(SLICE).expect(200);
      assertThat(slice.body().at("/metadata/labels").toString())
          .isEqualTo("{\"kubernetes.io/service-name\":\"kubernetes\"}");
      assertThat(slice.text("/addressType")).isEqualTo("IPv4");
      assertThat(slice.text("/endpoints/0/addresses/0")).isEqualTo("10.213.0.2");
      assertThat(slice.text("/endpoints/0/conditions/ready")).isEqualTo("true");
      assertThat(slice.text("/ports/0/name")).isEqualTo("https");
      assertThat(slice.text("/ports/0/port")).isEqualTo(String.valueOf(port));
      var endpoints = admin.get(ENDPOINTS).expect(200);
      assertThat(endpoints.text("/subsets/0/addresses/0/ip")).isEqualTo("10.213.0.2");
      assertThat(endpoints.text("/subsets/0/ports/0/port")).isEqualTo(String.valueOf(port));
    }
  }

  @Test
  void comes_again_when_it_is_deleted_or_changed(@TempDir Path directory) throws Exception {
    try (var server = TestServer.start(directory)) {
      server.server().advertise(HOST);
      var admin = server.admin(Carrier.IN_PROCESS);
      for (String path : PATHS) {
        String uid = admin.get(path).expect(200).text("/metadata/uid");

        admin.delete(path).expect(200);

        await(admin, path, "/metadata/uid", value -> !value.asText(uid).equals(uid));
      }

      admin.merge(SLICE, "{'endpoints':[]}").expect(200);

      await(admin, SLICE, "/endpoints/0/addresses/0", value -> value.asText().equals("10.213.0.2"));
    }
  }

  /** It is made, then watched. With one of its objects left, the watch of that one would help. */
  @Test
  void comes_again_when_all_of_it_is_deleted_before_anybody_watches_it(@TempDir Path directory)
      throws Exception {
    try (var server = TestServer.start(directory)) {
      var self = server.server().inProcess(SystemObjects.SELF);
      var admin = server.admin(Carrier.IN_PROCESS);
      var deleted = new CompletableFuture<String>();
      var late =
          new BeforeLists(
              self,
              () -> {
                String uid = admin.get(SERVICE).expect(200).text("/metadata/uid");
                for (String path : PATHS) {
                  admin.delete(path).expect(200);
                }
                deleted.complete(uid);
              });
      try (var service = new KubernetesService(late, HOST, 6443, new Random(7))) {
        service.start();

        String uid = deleted.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        await(admin, SERVICE, "/metadata/uid", value -> !value.asText(uid).equals(uid));
        await(admin, SLICE, "/metadata/name", value -> value.asText().equals("kubernetes"));
        await(admin, ENDPOINTS, "/metadata/name", value -> value.asText().equals("kubernetes"));
      }
    }
  }

  private interface Deed {
    void run() throws Exception;
  }

  /** Something happens before the first list is answered. */
  private static final class BeforeLists implements Transport {
    private final Transport server;
    private final Deed deed;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CountDownLatch done = new CountDownLatch(1);

    private BeforeLists(Transport server, Deed deed) {
      this.server = server;
      this.deed = deed;
    }

    @Override
    public Response send(Request request) throws Unreachable, InterruptedException {
      boolean lists = request.method().equals("GET") && !request.path().endsWith("/kubernetes");
      if (lists && begun.compareAndSet(false, true)) {
        try {
          deed.run();
        } catch (Exception e) {
          throw new IllegalStateException(e);
        } finally {
          done.countDown();
        }
      }
      if (lists) {
        done.await();
      }
      return server.send(request);
    }

    @Override
    public Stream open(Request request) throws Unreachable, InterruptedException {
      return server.open(request);
    }
  }

  @Test
  void says_where_the_server_listens_now(@TempDir Path directory) throws Exception {
    int first;
    try (var server = TestServer.start(directory)) {
      server.server().advertise(HOST);
      first = server.server().address().getPort();
      var admin = server.admin(Carrier.IN_PROCESS);
      assertThat(admin.get(SLICE).expect(200).text("/ports/0/port"))
          .isEqualTo(String.valueOf(first));
    }

    try (var server = TestServer.start(directory)) {
      server.server().advertise(Inet4Address.ofLiteral("10.213.16.2"));

      var admin = server.admin(Carrier.IN_PROCESS);
      String port = String.valueOf(server.server().address().getPort());
      assertThat(admin.get(SLICE).expect(200).text("/ports/0/port")).isEqualTo(port);
      assertThat(admin.get(SLICE).expect(200).text("/endpoints/0/addresses/0"))
          .isEqualTo("10.213.16.2");
      assertThat(admin.get(SERVICE).expect(200).text("/spec/ports/0/targetPort")).isEqualTo(port);
      assertThat(admin.get(SERVICE).expect(200).text("/spec/clusterIP")).isEqualTo("10.96.0.1");
    }
  }

  @Test
  void addresses_outside_of_the_range_are_refused(@TempDir Path directory) throws Exception {
    try (var server = TestServer.start(directory)) {
      var refused =
          server
              .admin(Carrier.IN_PROCESS)
              .post(
                  "/api/v1/namespaces/default/services",
                  "{'metadata':{'name':'a'},'spec':{'clusterIP':'1.1.1.1','ports':[{'port':80}]}}")
              .expect(422);

      assertThat(refused.text("/message"))
          .contains("failed to allocate IP 1.1.1.1: the provided IP (1.1.1.1) is not in the valid")
          .endsWith("The range of valid IPs is 10.96.0.0/16");
    }
  }

  private static void await(
      Api api, String path, String pointer, java.util.function.Predicate<JsonNode> fact)
      throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!fact.test(api.get(path).body().at(pointer))) {
      assertThat(System.nanoTime()).as("%s of %s in time", pointer, path).isLessThan(deadline);
      Thread.sleep(1); // it is written by another thread
    }
  }
}
