package dev.regroup.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.regroup.api.Wire;
import dev.regroup.server.https.Pki;
import dev.regroup.testing.MadeOnce;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A real webhook behind real certificates; what it says depends on the path. */
final class TestWebhook implements AutoCloseable {
  private static final char[] NO_PASSWORD = {};

  /** Of an authority that no server of the tests knows. */
  private static final MadeOnce PKI =
      new MadeOnce(directory -> Pki.open(directory, InstantSource.system()));

  private final HttpsServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Pki pki;
  final List<JsonNode> asked = new CopyOnWriteArrayList<>();

  TestWebhook(Path directory) throws IOException, GeneralSecurityException {
    this(directory, InetAddress.ofLiteral("127.0.0.1"));
  }

  TestWebhook(Path directory, InetAddress address) throws IOException, GeneralSecurityException {
    this.pki = Pki.open(PKI.at(directory), InstantSource.system());
    this.server = HttpsServer.create(new InetSocketAddress(address, 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls()));
    server.setExecutor(threads);
    server.start();
  }

  private SSLContext tls() throws GeneralSecurityException, IOException {
    var keys = KeyStore.getInstance("PKCS12");
    keys.load(null, NO_PASSWORD);
    var shown = pki.server();
    keys.setKeyEntry("server", shown.key(), NO_PASSWORD, shown.chain().toArray(Certificate[]::new));
    var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keys, NO_PASSWORD);
    var context = SSLContext.getInstance("TLS");
    context.init(factory.getKeyManagers(), null, null);
    return context;
  }

  /** Answers reviews at this path with this response; uid is filled in. */
  TestWebhook answers(String path, Function<JsonNode, ObjectNode> response) {
    return at(
        path,
        exchange -> {
          var request = Wire.tree(exchange.getRequestBody().readAllBytes()).path("request");
          asked.add(request);
          var review = Wire.object();
          review.put("kind", "AdmissionReview").put("apiVersion", "admission.k8s.io/v1");
          var said = response.apply(request);
          said.put("uid", request.path("uid").asText());
          review.set("response", said);
          return review.toString();
        },
        200);
  }

  /** Answers with this text whatever is asked. */
  TestWebhook says(String path, int code, String text) {
    return at(
        path,
        exchange -> {
          asked.add(Wire.tree(exchange.getRequestBody().readAllBytes()).path("request"));
          return text;
        },
        code);
  }

  interface Body {
    String of(HttpExchange exchange) throws IOException;
  }

  TestWebhook at(String path, Body body, int code) {
    server.createContext(
        path,
        exchange -> {
          try (exchange) {
            var bytes = body.of(exchange).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(code, bytes.length);
            exchange.getResponseBody().write(bytes);
          }
        });
    return this;
  }

  String url(String path) {
    return "https://127.0.0.1:" + port() + path;
  }

  int port() {
    return server.getAddress().getPort();
  }

  String authority() {
    return Base64.getEncoder().encodeToString(pki.caPem().getBytes(StandardCharsets.US_ASCII));
  }

  static ObjectNode allowed() {
    return Wire.object().put("allowed", true);
  }

  /** Allows with a JSON patch, written with single quotes. */
  static ObjectNode patched(String patch) {
    var json = patch.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    return allowed()
        .put("patchType", "JSONPatch")
        .put("patch", Base64.getEncoder().encodeToString(json));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
