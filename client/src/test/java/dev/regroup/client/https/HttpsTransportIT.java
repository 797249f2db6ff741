package dev.regroup.client.https;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.regroup.client.Eventually;
import dev.regroup.client.FakeApi;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.client.informer.Informer;
import dev.regroup.client.informer.Item;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The transport against a real TLS server on loopback, and an informer on top of it. */
class HttpsTransportIT {

  private static final char[] PASSWORD = "only-for-this-test".toCharArray();

  @TempDir static Path directory;
  private static SSLContext tls;

  private final AtomicReference<Optional<String>> token = new AtomicReference<>(Optional.empty());
  private final ExecutorService handlers = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch over = new CountDownLatch(1);
  private HttpsServer server;
  private HttpsTransport transport;

  @BeforeAll
  static void makeCertificate() throws Exception {
    var store = directory.resolve("key.p12");
    var keytool =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-alias",
                    "test",
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=localhost",
                    "-ext",
                    "SAN=dns:localhost,ip:127.0.0.1",
                    "-keystore",
                    store.toString(),
                    "-storetype",
                    "PKCS12",
                    "-storepass",
                    new String(PASSWORD)))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("keytool.log").toFile())
            .start();
    assertThat(keytool.waitFor()).as(Files.readString(directory.resolve("keytool.log"))).isZero();
    var keys = KeyStore.getInstance(store.toFile(), PASSWORD);
    var keyManagers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keyManagers.init(keys, PASSWORD);
    var trustManagers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trustManagers.init(keys);
    tls = SSLContext.getInstance("TLS");
    tls.init(keyManagers.getKeyManagers(), trustManagers.getTrustManagers(), null);
  }

  @BeforeEach
  void start() throws IOException {
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.setExecutor(handlers);
    server.start();
    transport = new HttpsTransport(base(), tls, token::get);
  }

  @AfterEach
  void stop() {
    transport.close();
    over.countDown();
    server.stop(0);
    handlers.close();
  }

  private URI base() {
    return URI.create("https://127.0.0.1:%d/".formatted(server.getAddress().getPort()));
  }

  @Test
  void carries_method_path_query_headers_token_and_body_both_ways() throws Exception {
    server.createContext(
        "/",
        exchange -> {
          var seen =
              "%s %s auth=%s type=%s body=%s"
                  .formatted(
                      exchange.getRequestMethod(),
                      exchange.getRequestURI(),
                      exchange.getRequestHeaders().getFirst("Authorization"),
                      exchange.getRequestHeaders().getFirst("Content-Type"),
                      new String(exchange.getRequestBody().readAllBytes(), UTF_8));
          exchange.getResponseHeaders().add("Warning", "299 - \"one\"");
          exchange.getResponseHeaders().add("Warning", "299 - \"two\"");
          answer(exchange, 409, seen);
        });
    token.set(Optional.of("first"));
    var request =
        Request.of("PATCH", "/api/v1/nodes/a%2Fb", "application/x", "ü".getBytes(UTF_8))
            .withQuery("dryRun=All&x=%20");

    var response = transport.send(request);
    token.set(Optional.of("second"));
    var again = transport.send(Request.get("/version", ""));

    assertThat(response.status()).isEqualTo(409);
    assertThat(new String(response.body(), UTF_8))
        .isEqualTo(
            "PATCH /api/v1/nodes/a%2Fb?dryRun=All&x=%20 auth=Bearer first type=application/x"
                + " body=ü");
    assertThat(response.headers().all("warning")).containsExactly("299 - \"one\"", "299 - \"two\"");
    assertThat(new String(again.body(), UTF_8)).contains("auth=Bearer second");
  }

  @Test
  void says_unreachable_when_nobody_answers() {
    server.stop(0);

    assertThatThrownBy(() -> transport.send(Request.get("/version", "")))
        .isInstanceOf(Transport.Unreachable.class)
        .hasMessageContaining("GET https://127.0.0.1");
    assertThatThrownBy(() -> transport.open(Request.get("/version", "watch=true")))
        .isInstanceOf(Transport.Unreachable.class);
  }

  @Test
  void cuts_a_watch_into_events_as_they_come_and_says_when_it_breaks_off() throws Exception {
    var more = new CountDownLatch(1);
    var abort = new CountDownLatch(1);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          var out = exchange.getResponseBody();
          out.write("{\"a\":1}\n{\"b\":".getBytes(UTF_8));
          out.flush();
          await(more);
          out.write("2}\n".getBytes(UTF_8));
          out.flush();
          await(abort);
          throw new IOException("breaks off");
        });

    try (var stream = transport.open(Request.get("/api/v1/pods", "x=1&watch=true"))) {
      assertThat(stream.status()).isEqualTo(200);
      assertThat(stream.next()).asString(UTF_8).isEqualTo("{\"a\":1}");
      more.countDown();
      assertThat(stream.next()).asString(UTF_8).isEqualTo("{\"b\":2}");
      abort.countDown();
      assertThatThrownBy(stream::next).isInstanceOf(Transport.Unreachable.class);
    }
  }

  @Test
  void a_refused_stream_has_the_error_as_its_body() throws Exception {
    server.createContext("/", exchange -> answer(exchange, 410, "{\"kind\":\n\"Status\"}"));

    try (var stream = transport.open(Request.get("/api/v1/pods", "watch=true"))) {
      assertThat(stream.status()).isEqualTo(410);
      assertThat(stream.next()).asString(UTF_8).isEqualTo("{\"kind\":\n\"Status\"}");
      assertThat(stream.next()).isNull();
    }
  }

  @Test
  void closing_a_stream_wakes_its_reader() throws Exception {
    var waiting = new CountDownLatch(1);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write("{}\n".getBytes(UTF_8));
          exchange.getResponseBody().flush();
          await(over);
        });
    var stream = transport.open(Request.get("/api/v1/pods", "watch=true"));
    assertThat(stream.next()).asString(UTF_8).isEqualTo("{}");
    var reader =
        Thread.ofVirtual()
            .start(() -> {
              waiting.countDown();
              try {
                var _ = stream.next();
              } catch (Transport.Unreachable | InterruptedException e) {
                // either is fine: it is awake
              }
            });
    waiting.await();

    stream.close();

    assertThat(reader.join(Duration.ofSeconds(20))).isTrue();
  }

  @Test
  void an_informer_follows_a_server_over_it_and_closes_in_time() throws Exception {
    var api = new FakeApi();
    server.createContext("/", exchange -> serve(api, exchange));
    api.put("a", "x", "1");

    var informer =
        new Informer<>(
            transport,
            FakeApi.PODS,
            ListQuery.ALL,
            pod -> pod.at("/spec/value").asText(),
            new Random(1));
    try (informer) {
      informer.start();
      assertThat(informer.awaitSynced(Duration.ofSeconds(20))).isTrue();
      api.put("a", "x", "2");
      Eventually.holds("the change arrived", () -> value(informer).equals("2"));
      api.breakStreams();
      api.put("a", "x", "3");
      Eventually.holds("the change after the break arrived", () -> value(informer).equals("3"));
    }
    api.down(true); // a watch that was asked for just now would wait for ever
    api.endStreams();
  }

  private static String value(Informer<String> informer) {
    return informer.get(new ObjectKey("a", "x")).map(Item::value).orElse("none");
  }

  /** Puts the fake server behind real HTTP. */
  private static void serve(FakeApi api, HttpExchange exchange) throws IOException {
    var query = Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse("");
    var request = Request.get(exchange.getRequestURI().getRawPath(), query);
    if (!query.contains("watch=true")) {
      var response = api.send(request);
      answer(exchange, response.status(), new String(response.body(), UTF_8));
      return;
    }
    try (var stream = api.open(request)) {
      exchange.sendResponseHeaders(stream.status(), 0);
      exchange.getResponseBody().flush();
      for (var frame = stream.next(); frame != null; frame = stream.next()) {
        exchange.getResponseBody().write(frame);
        exchange.getResponseBody().write('\n');
        exchange.getResponseBody().flush();
      }
      exchange.close();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static void answer(HttpExchange exchange, int code, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(code, bytes.length);
    try (var out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
