package dev.regroup.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * What pods of a test run: {@code serve PORT} answers every request with the name of its host,
 * {@code fetch CA URL...} prints the status and the answer of each, trusting only that authority.
 */
final class WebProgram {

  private WebProgram() {}

  public static void main(String[] arguments) throws Exception {
    List<String> rest = Arrays.asList(arguments).subList(1, arguments.length);
    switch (arguments[0]) {
      case "serve" -> serve(Integer.parseInt(rest.getFirst()));
      case "fetch" -> fetch(Path.of(rest.getFirst()), rest.subList(1, rest.size()));
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  private static void serve(int port) throws IOException {
    var server = HttpServer.create(new InetSocketAddress(port), 0);
    byte[] name = System.getenv("HOSTNAME").getBytes(UTF_8);
    server.createContext(
        "/",
        exchange -> {
          exchange.getResponseHeaders().set("connection", "close"); // the next one is a new one
          exchange.sendResponseHeaders(200, name.length);
          exchange.getResponseBody().write(name);
          exchange.close();
        });
    server.start();
  }

  private static void fetch(Path authority, List<String> addresses) throws Exception {
    try (var client = HttpClient.newBuilder().sslContext(trusting(authority)).build()) {
      for (String address : addresses) {
        var request =
            HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofSeconds(20)).build();
        var answer = client.send(request, BodyHandlers.ofString());
        System.out.println(answer.statusCode() + " " + answer.body().replaceAll("\\s+", " "));
      }
    }
  }

  private static SSLContext trusting(Path authority) throws Exception {
    var store = KeyStore.getInstance("PKCS12");
    store.load(null, new char[0]);
    try (var pem = Files.newInputStream(authority)) {
      store.setCertificateEntry(
          "ca", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    var context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }
}
