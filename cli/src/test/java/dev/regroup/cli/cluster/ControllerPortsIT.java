package dev.regroup.cli.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.https.HttpsTransport;
import dev.regroup.client.https.PemTls;
import dev.regroup.server.https.ListenerSettings.TlsLimits;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the controller shows over TLS, and to whom (JS-171). */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(120)
class ControllerPortsIT {

  @TempDir Path folder;
  private BareCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster = new BareCluster(folder);
    cluster.install();
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  @Test
  void figures_are_for_who_may_get_them() throws Exception {
    for (var name : List.of("stranger", "scraper")) {
      cluster.post("/api/v1/namespaces/default/serviceaccounts", "metadata: {name: " + name + "}");
    }
    cluster.post(
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        """
        metadata: {name: scraper}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: regroup-metrics-reader}
        subjects: [{kind: ServiceAccount, name: scraper, namespace: default}]
        """);
    try (var _ = cluster.controller(cluster.settings())) {
      assertThat(figures(Optional.empty()).status()).isEqualTo(401);
      assertThat(figures(Optional.of("made-up")).status()).isEqualTo(401);
      assertThat(figures(Optional.of(cluster.token("default", "stranger"))).status())
          .isEqualTo(403);

      var shown = figures(Optional.of(cluster.token("default", "scraper")));

      assertThat(shown.status()).isEqualTo(200);
      assertThat(new String(shown.body(), UTF_8)).contains("\nprocess_cpu_seconds_total ");
      assertThat(cluster.refusals()).as("the roles let it ask").isEmpty();
    }
  }

  private Response figures(Optional<String> token) throws Exception {
    var place = URI.create("https://127.0.0.1:" + cluster.metricsPort);
    try (var https = new HttpsTransport(place, PemTls.context(cluster.bundle()), () -> token)) {
      return https.send(Request.get("/metrics", ""));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"webhook", "figures"})
  void an_older_protocol_than_the_least_is_refused(String port) throws Exception {
    var least = new TlsLimits(List.of("TLSv1.3"), List.of());
    int number = port.equals("webhook") ? cluster.webhookPort : cluster.metricsPort;
    try (var _ = cluster.controller(cluster.settings().with(least))) {
      assertThat(shake(number, "TLSv1.3", "TLS_AES_128_GCM_SHA256"))
          .isEqualTo("TLS_AES_128_GCM_SHA256");
      assertThatThrownBy(() -> shake(number, "TLSv1.2", ECDSA_256))
          .isInstanceOf(SSLHandshakeException.class);
    }
  }

  private static final String ECDSA_128 = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
  private static final String ECDSA_256 = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384";

  @Test
  void suites_that_were_not_chosen_are_refused() throws Exception {
    var chosen = new TlsLimits(List.of("TLSv1.2", "TLSv1.3"), List.of(ECDSA_256));
    try (var _ = cluster.controller(cluster.settings().with(chosen))) {
      assertThat(shake(cluster.webhookPort, "TLSv1.2", ECDSA_256)).isEqualTo(ECDSA_256);
      assertThatThrownBy(() -> shake(cluster.webhookPort, "TLSv1.2", ECDSA_128))
          .isInstanceOf(SSLHandshakeException.class);
    }
  }

  /** The suite that both agree on. */
  private String shake(int port, String protocol, String suite) throws Exception {
    var factory = PemTls.context(cluster.bundle()).getSocketFactory();
    try (var socket = (SSLSocket) factory.createSocket(InetAddress.ofLiteral("127.0.0.1"), port)) {
      socket.setEnabledProtocols(new String[] {protocol});
      socket.setEnabledCipherSuites(new String[] {suite});
      socket.startHandshake();
      return socket.getSession().getCipherSuite();
    }
  }
}
