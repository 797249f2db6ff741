package dev.regroup.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.https.HttpsTransport;
import dev.regroup.server.TestServer.Carrier;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that stops while it is asked: what clients at its port are told. */
@Timeout(60)
class GracefulStopIT {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";

  @TempDir Path directory;

  /** A webhook has the write in its hands when the server is stopped. */
  @ParameterizedTest
  @EnumSource(
      value = HttpClient.Version.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void watches_end_and_a_write_under_way_is_answered_and_kept(HttpClient.Version version)
      throws Exception {
    var asked = new CountDownLatch(1);
    var mayAnswer = new CountDownLatch(1);
    try (var webhook = new TestWebhook(directory.resolve("webhook"));
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        var server = TestServer.start(directory.resolve("server"));
        var carrier =
            new HttpsTransport(
                server.server().address(), server.adminTls(), Optional::empty, version)) {
      webhook.answers(
          "/v",
          _ -> {
            asked.countDown();
            await(mayAnswer);
            return TestWebhook.allowed();
          });
      register(server, webhook);
      var client = new Api(carrier);
      var watch = client.watch(MAPS + "?watch=true&resourceVersion=0&allowWatchBookmarks=true");
      var write = threads.submit(() -> client.post(MAPS, "{'metadata':{'name':'late'}}"));
      await(asked);

      var stop = threads.submit(server::close);
      var event = watch.nextEvent();
      while (!event.path("type").asText().equals("END")) { // throws where it breaks off
        assertThat(event.path("type").asText()).isNotEqualTo("ERROR");
        event = watch.nextEvent();
      }
      assertThat(write.isDone()).isFalse();
      mayAnswer.countDown();

      write.get().expect(201);
      stop.get();
    }
    try (var server = TestServer.start(directory.resolve("server"))) {
      server.admin(Carrier.IN_PROCESS).get(MAPS + "/late").expect(200);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void register(TestServer server, TestWebhook webhook) throws Exception {
    server
        .admin(Carrier.IN_PROCESS)
        .post(
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            """
            {'metadata':{'name':'slow'},'webhooks':[{'name':'slow.example.com',
             'sideEffects':'None','admissionReviewVersions':['v1'],'timeoutSeconds':30,
             'clientConfig':{'url':'%s','caBundle':'%s'},
             'rules':[{'apiGroups':[''],'apiVersions':['v1'],'operations':['CREATE'],
             'resources':['configmaps']}]}]}\
            """
                .formatted(webhook.url("/v"), webhook.authority()))
        .expect(201);
  }
}
