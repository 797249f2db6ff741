package dev.regroup.server.webhook;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.Addresses;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Sends reviews to webhooks over HTTPS and brings back what they answer. Each webhook is trusted by
 * the authorities its configuration names and nobody else; connections are kept per authority and
 * name. Never through a proxy; an answer has a limit and an end. Any thread.
 */
final class WebhookCaller implements AutoCloseable {
  private static final long LARGEST_ANSWER = 6L * 1024 * 1024;

  private final ServiceEndpoints services;
  private final Map<Peer, HttpClient> clients = new ConcurrentHashMap<>();

  /** Who is called: a name, and who certifies it. */
  private record Peer(String host, String authority) {}

  /** Nobody answered, or not with an answer. */
  static final class NoAnswer extends Exception {
    private static final long serialVersionUID = 1;

    NoAnswer(String problem, @Nullable Throwable cause) {
      super(problem, cause);
    }
  }

  WebhookCaller(ServiceEndpoints services) {
    this.services = services;
  }

  /** The body of the answer. */
  ObjectNode call(Webhook webhook, ObjectNode review) throws NoAnswer, InterruptedException {
    var client = webhook.client();
    var shown =
        (client.service().isPresent() ? client.service().get().url() : client.url().orElse(""))
            + "?timeout="
            + webhook.timeout().toSeconds()
            + "s";
    var what = "failed to call webhook: Post \"" + shown + "\": ";
    try {
      return Wire.tree(send(webhook, review, shown));
    } catch (HttpTimeoutException e) {
      throw new NoAnswer(what + "context deadline exceeded", e);
    } catch (BadStatus e) {
      throw new NoAnswer("failed to call webhook: " + e.getMessage(), e);
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new NoAnswer(what + words(URI.create(shown), e), e);
    }
  }

  /** An answer that is no success. */
  private static final class BadStatus extends IOException {
    private static final long serialVersionUID = 1;

    BadStatus(int code, String body) {
      super(
          "the server responded with the status code %d but did not return more information%s"
              .formatted(code, body.isBlank() ? "" : " (" + body + ")"));
    }
  }

  private byte[] send(Webhook webhook, ObjectNode review, String shown)
      throws IOException, GeneralSecurityException, InterruptedException {
    var address = URI.create(shown);
    var peer = new Peer(address.getHost(), webhook.client().authority());
    if (webhook.client().service().isPresent()) {
      address =
          switch (services.of(webhook.client().service().get())) {
            case ServiceEndpoints.Endpoint.At(String ip, long port) ->
                URI.create(
                    "https://"
                        + ip
                        + ":"
                        + port
                        + address.getRawPath()
                        + "?"
                        + address.getRawQuery());
            case ServiceEndpoints.Endpoint.Nowhere(String problem) ->
                throw new IOException(problem);
          };
    }
    var request =
        HttpRequest.newBuilder(address)
            .timeout(webhook.timeout())
            .header("Content-Type", "application/json")
            .header("Accept", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(Wire.write(review)))
            .build();
    var response =
        client(peer)
            .send(
                request,
                HttpResponse.BodyHandlers.limiting(
                    HttpResponse.BodyHandlers.ofByteArray(), LARGEST_ANSWER));
    if (response.statusCode() != 200) {
      throw new BadStatus(response.statusCode(), "");
    }
    return response.body();
  }

  private HttpClient client(Peer peer) throws IOException, GeneralSecurityException {
    var known = clients.get(peer);
    if (known != null) {
      return known;
    }
    var made = open(peer);
    var first = clients.putIfAbsent(peer, made);
    if (first == null) {
      return made;
    }
    made.shutdownNow();
    return first;
  }

  private static HttpClient open(Peer peer) throws IOException, GeneralSecurityException {
    var tls = SSLContext.getInstance("TLS");
    tls.init(
        null,
        new TrustManager[] {new NamedTrust(authorities(peer.authority()), peer.host())},
        null);
    var parameters = new SSLParameters();
    if (!peer.host().matches("[0-9.]+|.*:.*")) {
      parameters.setServerNames(List.of(new SNIHostName(peer.host())));
    }
    return HttpClient.newBuilder()
        .proxy(HttpClient.Builder.NO_PROXY)
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(Duration.ofSeconds(30))
        .sslContext(tls)
        .sslParameters(parameters)
        .build();
  }

  private static X509TrustManager authorities(String bundle)
      throws IOException, GeneralSecurityException {
    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    if (bundle.isEmpty()) {
      factory.init((KeyStore) null); // those of the machine
    } else {
      var store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      var pem = new ByteArrayInputStream(Base64.getMimeDecoder().decode(bundle));
      int count = 0;
      for (var one : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        store.setCertificateEntry("authority-" + count++, one);
      }
      factory.init(store);
    }
    return Arrays.stream(factory.getTrustManagers())
        .filter(manager -> manager instanceof X509TrustManager)
        .map(manager -> (X509TrustManager) manager)
        .findFirst()
        .orElseThrow();
  }

  private static String words(URI address, Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof java.security.cert.CertificateException
          || cause instanceof java.security.cert.CertPathValidatorException
          || cause instanceof java.security.cert.CertPathBuilderException) {
        var problem = String.valueOf(cause.getMessage());
        return problem.startsWith("tls: ")
            ? problem
            : "tls: failed to verify certificate: x509: certificate signed by unknown authority";
      }
      if (cause instanceof java.net.ConnectException) {
        var host = String.valueOf(address.getHost());
        int port = address.getPort() < 0 ? 443 : address.getPort();
        var peer = Addresses.isIpv4(host) ? " " + host + ":" + port : "";
        return "dial tcp" + peer + ": connect: connection refused";
      }
    }
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  @Override
  public void close() {
    clients.values().forEach(HttpClient::shutdownNow);
    clients.values().forEach(HttpClient::close);
  }
}
