package dev.regroup.server.https;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.https.ListenerSettings.Place;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Exchange;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A listener at several addresses, with several certificates. */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(60)
class ListenerIT {
  private static final int LIMIT = 1_000;

  private static final Exchange OK =
      new Exchange() {
        @Override
        public Entry enter(Credentials credentials, Request head) {
          return (Entry.Granted) request -> handle(credentials, request);
        }

        @Override
        public Answer handle(Credentials credentials, Request request) {
          return new Answer.Whole(
              new Response(200, Headers.NONE, "ok".getBytes(StandardCharsets.US_ASCII)));
        }
      };

  @TempDir Path directory;
  private Pki pki;
  private ServingCertificate other;

  @BeforeEach
  void open() throws Exception {
    pki = Pki.open(SmallListener.PKI.at(directory.resolve("pki")), InstantSource.system());
    var made = NewCertificates.make(Instant.now(), Set.of("other.example"), Set.of());
    other =
        ServingCertificate.ofPem(
            String.valueOf(made.files().get("server.crt")),
            String.valueOf(made.files().get("server.key")));
  }

  @Test
  void each_address_shows_its_own_certificate() throws Exception {
    var places =
        List.of(
            new Place(
                new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
                List.of(pki.server())),
            new Place(
                new InetSocketAddress(InetAddress.ofLiteral("127.0.0.2"), 0), List.of(other)));
    try (var listener = start(places)) {
      assertThat(shown("127.0.0.1", listener.ports().get(0), "")).isEqualTo(own(pki.server()));
      assertThat(shown("127.0.0.2", listener.ports().get(1), "")).isEqualTo(own(other));
    }
  }

  @Test
  void a_client_that_names_a_host_sees_the_certificate_of_that_host() throws Exception {
    var both =
        List.of(
            new Place(
                new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
                List.of(pki.server(), other)));
    try (var listener = start(both)) {
      assertThat(shown("127.0.0.1", listener.port(), "other.example")).isEqualTo(own(other));
      assertThat(shown("127.0.0.1", listener.port(), "kubernetes.default"))
          .isEqualTo(own(pki.server()));
      assertThat(shown("127.0.0.1", listener.port(), "nobody.example"))
          .isEqualTo(own(pki.server()));
      assertThat(shown("127.0.0.1", listener.port(), "")).isEqualTo(own(pki.server()));
    }
  }

  @Test
  void a_port_that_is_taken_is_named_and_nothing_stays_open() throws Exception {
    try (var taken = new ServerSocket()) {
      taken.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.2"), 0));
      var places =
          List.of(
              new Place(
                  new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
                  List.of(pki.server())),
              new Place(
                  new InetSocketAddress(InetAddress.ofLiteral("127.0.0.2"), taken.getLocalPort()),
                  List.of(other)));

      assertThatThrownBy(() -> start(places))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("port " + taken.getLocalPort() + " of 127.0.0.2");
    }
  }

  private HttpsListener start(List<Place> places) throws IOException {
    return HttpsListener.start(new ListenerSettings(places, pki.authority(), LIMIT), OK);
  }

  private static X509Certificate own(ServingCertificate certificate) {
    return certificate.chain().getFirst();
  }

  /** Asks for something, and returns what the server has shown. */
  private static X509Certificate shown(String address, int port, String name) throws Exception {
    var tls = SSLContext.getInstance("TLS");
    tls.init(null, new TrustManager[] {new TrustAll()}, null);
    try (var socket = (SSLSocket) tls.getSocketFactory().createSocket(address, port)) {
      socket.setSoTimeout(30_000);
      if (!name.isEmpty()) {
        var parameters = socket.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(name)));
        socket.setSSLParameters(parameters);
      }
      socket
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
          .isEqualTo("HTTP/1.1 200");
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  /** Looks at certificates instead of judging them. */
  private static final class TrustAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
