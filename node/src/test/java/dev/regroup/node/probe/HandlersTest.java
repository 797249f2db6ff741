package dev.regroup.node.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.regroup.node.FakeRuntime;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.HTTPGetActionBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the answer of a container to a probe or hook means, with real sockets. */
@Timeout(30)
class HandlersTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration LONG = Duration.ofSeconds(20); // nothing here waits for its end
  private static final String HERE = "127.0.0.1"; // stands for the pod's address

  private final FakeRuntime runtime = new FakeRuntime();
  private final Handlers handlers = new Handlers(runtime);
  private final Map<String, String> asked = new ConcurrentHashMap<>(); // headers of the last one
  private HttpServer server;

  @BeforeEach
  void listen() throws IOException {
    server = HttpServer.create(new InetSocketAddress(HERE, 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void close() {
    server.stop(0);
  }

  /** PRB-08, ACC-186. */
  @Test
  void an_http_answer_counts_by_its_code_and_redirects_stay_on_their_host() throws Exception {
    assertThat(http("/200")).isInstanceOf(ProbeVerdict.Success.class);
    assertThat(http("/399"))
        .isEqualTo(new ProbeVerdict.Warning("Probe terminated redirects, Response body: body"));
    assertThat(http("/404"))
        .isEqualTo(new ProbeVerdict.Failure("HTTP probe failed with statuscode: 404"));
    assertThat(http("/here/500"))
        .isEqualTo(new ProbeVerdict.Failure("HTTP probe failed with statuscode: 500"));
    assertThat(http("/away")).isInstanceOf(ProbeVerdict.Warning.class);
    assertThat(http("/again"))
        .isInstanceOfSatisfying(
            ProbeVerdict.Failure.class,
            failure -> assertThat(failure.output()).endsWith("stopped after 10 redirects"));

    int port = server.getAddress().getPort();
    server.stop(0);

    assertThat(handlers.http(target(), action("/200", port), LONG))
        .isInstanceOf(ProbeVerdict.Failure.class);
  }

  /** PRB-08. */
  @Test
  void an_http_probe_says_who_asks_and_what_its_manifest_wants() throws Exception {
    http("/200");
    assertThat(asked)
        .containsEntry("User-agent", "kube-probe/1.36")
        .containsEntry("Accept", "*/*")
        .containsEntry("Connection", "close");

    var own =
        new HTTPGetActionBuilder(action("/200", server.getAddress().getPort()))
            .addNewHttpHeader("User-Agent", "me")
            .addNewHttpHeader("X-Token", "t")
            .build();
    handlers.http(target(), own, LONG);

    assertThat(asked).containsEntry("User-agent", "me").containsEntry("X-token", "t");
  }

  /** PRB-08: custom headers override, also the one that names the host. */
  @Test
  void an_http_probe_asks_for_the_host_its_manifest_names() throws Exception {
    var own =
        new HTTPGetActionBuilder(action("/200", server.getAddress().getPort()))
            .addNewHttpHeader("Host", "trainer.example")
            .addNewHttpHeader("X-Token", "one")
            .addNewHttpHeader("x-token", "two")
            .addNewHttpHeader("Content-Length", "7") // is not a manifest's to say
            .build();

    assertThat(handlers.http(target(), own, LONG)).isInstanceOf(ProbeVerdict.Success.class);
    assertThat(asked)
        .containsEntry("Host", "trainer.example")
        .containsEntry("X-token", "one,two")
        .doesNotContainKey("Content-length");
  }

  /** PRB-08: the kubelet asks for any path; a probe that cannot ask is never judged. */
  @Test
  void no_path_keeps_an_http_probe_from_asking() throws Exception {
    assertThat(http("/200?ready={all}|most of&at=100%&\u00e4=%41#x"))
        .isInstanceOf(ProbeVerdict.Success.class);
    assertThat(asked)
        .containsEntry("query", "ready=%7Ball%7D%7Cmost%20of&at=100%25&%C3%A4=%41%23x");

    var nowhere = new HTTPGetActionBuilder(action("/200", 80)).withHost("no host").build();

    assertThat(handlers.http(target(), nowhere, LONG)).isInstanceOf(ProbeVerdict.Failure.class);
  }

  /** PRB-08: a worker that hangs may still send a byte now and then; its probe ends in time. */
  @ParameterizedTest
  @ValueSource(strings = {"HTTP/1.1 200 OK\r\nX-Slow: ", "HTTP/1.1 200 OK\r\n\r\n"})
  @Timeout(60)
  void a_server_that_drips_does_not_hold_up_its_probe(String begun) throws Exception {
    try (var slow = new ServerSocket(0, 8, InetAddress.ofLiteral(HERE))) {
      var dripper = Thread.ofVirtual().start(() -> drip(slow, begun));
      var action = action("/", slow.getLocalPort());

      assertThat(handlers.http(target(), action, SECOND))
          .isInstanceOfSatisfying(
              ProbeVerdict.Failure.class,
              failure -> assertThat(failure.output()).contains(": context deadline exceeded"));
      dripper.join(); // nobody listens to it any more
    }
  }

  private static void drip(ServerSocket slow, String begun) {
    try (var client = slow.accept()) {
      var out = client.getOutputStream();
      out.write(begun.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      while (true) {
        out.write('x');
        client.setSoTimeout(100); // a pause that ends early when the other side leaves
        try {
          while (client.getInputStream().read() >= 0) {
            continue; // its request
          }
          return;
        } catch (java.net.SocketTimeoutException pause) {
          continue;
        }
      }
    } catch (IOException gone) {
      return;
    }
  }

  /** PRB-08: what a container answers may be large or secret. */
  @Test
  void a_body_is_never_part_of_the_verdict() throws Exception {
    assertThat(http("/500").toString()).doesNotContain("body");
  }

  /** PRB-09; the half of ACC-188 that is about connections. */
  @Test
  void an_open_connection_is_success_and_ports_have_names() throws Exception {
    int port;
    try (var open = new ServerSocket(0, 1, InetAddress.ofLiteral(HERE))) {
      port = open.getLocalPort();
      assertThat(tcp(new IntOrString(port), port)).isInstanceOf(ProbeVerdict.Success.class);
      assertThat(tcp(new IntOrString("web"), port)).isInstanceOf(ProbeVerdict.Success.class);
    }

    assertThat(tcp(new IntOrString("web"), port)).isInstanceOf(ProbeVerdict.Failure.class);
    assertThat(tcp(new IntOrString("other"), port))
        .isEqualTo(new ProbeVerdict.Unable("strconv.Atoi: parsing \"other\": invalid syntax"));
  }

  /** PRB-07, ACC-187. */
  @Test
  void a_command_counts_by_its_code_and_too_slow_is_a_failure() throws Exception {
    runtime.onRun((_, _) -> OptionalInt.of(0));
    assertThat(exec()).isInstanceOf(ProbeVerdict.Success.class);
    runtime.onRun((_, _) -> OptionalInt.of(3));
    assertThat(exec()).isInstanceOf(ProbeVerdict.Failure.class);
    runtime.onRun((_, _) -> OptionalInt.empty()); // its time was over

    assertThat(exec())
        .isEqualTo(new ProbeVerdict.Failure("command timed out: \"check it\" timed out after 1s"));
  }

  /** HOOK-04, ACC-195. */
  @Test
  void any_answer_to_a_hook_is_good_and_no_answer_is_not() throws Exception {
    int port = server.getAddress().getPort();
    assertThat(handlers.httpHook(target(), action("/500", port), LONG))
        .isInstanceOf(ProbeVerdict.Success.class);

    server.stop(0);

    assertThat(handlers.httpHook(target(), action("/500", port), LONG))
        .isInstanceOf(ProbeVerdict.Failure.class);
  }

  private ProbeVerdict http(String path) throws InterruptedException {
    return handlers.http(target(), action(path, server.getAddress().getPort()), LONG);
  }

  private ProbeVerdict exec() throws InterruptedException {
    return handlers.exec(target(), List.of("check", "it"), SECOND);
  }

  private ProbeVerdict tcp(IntOrString port, int web) {
    var container =
        new ContainerBuilder()
            .withName("a")
            .addNewPort()
            .withName("web")
            .withContainerPort(web)
            .endPort();
    var key = new ContainerKey(new PodUid("u1"), "a", 0);
    return handlers.tcp(new ProbeTarget(key, container.build(), HERE), null, port, LONG);
  }

  private static ProbeTarget target() {
    var key = new ContainerKey(new PodUid("u1"), "a", 0);
    return new ProbeTarget(key, new ContainerBuilder().withName("a").build(), HERE);
  }

  private static HTTPGetAction action(String path, int port) {
    return new HTTPGetActionBuilder().withPath(path).withPort(new IntOrString(port)).build();
  }

  /** {@code /CODE} is answered with it; {@code /here}, {@code /away} and {@code /again} lead on. */
  private void answer(HttpExchange exchange) throws IOException {
    asked.clear();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> asked.put(name, String.join(",", values)));
    asked.put("query", String.valueOf(exchange.getRequestURI().getRawQuery()));
    String path = exchange.getRequestURI().getPath();
    String next =
        switch (path) {
          case "/here/500" -> "/500";
          case "/away" -> "http://192.0.2.1/200";
          case "/again" -> "/again";
          default -> "";
        };
    byte[] body = "body".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    if (!next.isEmpty()) {
      exchange.getResponseHeaders().add("Location", next);
    }
    int code = next.isEmpty() ? Integer.parseInt(path.substring(1)) : 302;
    exchange.sendResponseHeaders(code, body.length);
    try (var out = exchange.getResponseBody()) {
      out.write(body);
    }
  }
}
