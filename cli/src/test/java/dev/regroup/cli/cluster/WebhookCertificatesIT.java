package dev.regroup.cli.cluster;

import static dev.regroup.cli.cluster.BareCluster.LIMIT;
import static dev.regroup.cli.cluster.BareCluster.NAMESPACE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.https.PemTls;
import dev.regroup.server.https.ServiceCertificates;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** JS-171: certificates of the webhook change while it serves, whoever keeps them. */
@SuppressWarnings("NullAway.Init") // set before each test
@Timeout(240)
class WebhookCertificatesIT {

  private static final String JOB_SETS =
      "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets";

  private static final String JOB_SET =
      """
      apiVersion: jobset.x-k8s.io/v1alpha2
      kind: JobSet
      metadata: {name: train}
      spec:
        replicatedJobs:
        - name: w
          template: {spec: {template: {spec: {containers: [{name: worker, image: x}]}}}}
      """;

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

  /** They live for seconds; the API server always knows an authority before it meets it. */
  @Test
  void reviews_go_on_while_certificates_are_replaced() throws Exception {
    var lives =
        new ControllerSettings.Lives(
            Duration.ofSeconds(60),
            Duration.ofSeconds(54),
            Duration.ofSeconds(3),
            Duration.ofMinutes(1));
    try (var _ = cluster.controller(cluster.settings().with(Optional.empty(), lives))) {
      var bundles = new HashSet<String>();
      long end = System.nanoTime() + LIMIT.toNanos();
      while (bundles.size() < 4 && System.nanoTime() < end) {
        review();
        bundles.add(cluster.bundle());
      }

      assertThat(bundles).hasSize(4);
      assertThat(cluster.refusals()).isEmpty();
    }
  }

  /** {@code --webhook-cert-dir}; then the controller keeps none in the cluster. */
  @Test
  void certificates_that_somebody_else_keeps_are_shown() throws Exception {
    var made = made();
    var directory = Files.createDirectory(folder.resolve("certificates"));
    write(directory, made);

    try (var _ =
        cluster.controller(
            cluster.settings().with(Optional.of(directory), ControllerSettings.Lives.STANDARD))) {
      review();

      assertThat(cluster.bundle()).isEqualTo(made.authorities());
      assertThat(
              cluster.get("/api/v1/namespaces/" + NAMESPACE + "/secrets").findValuesAsText("name"))
          .doesNotContain("regroup-webhook-server-cert");
    }
  }

  /**
   * Files that are written one after the other, with another authority: whoever connects meets the
   * old certificate until the API server trusts the new one, and no review fails.
   */
  @Test
  void files_that_change_are_shown_without_a_review_that_fails() throws Exception {
    var lives =
        new ControllerSettings.Lives(
            Duration.ofDays(1), Duration.ofHours(1), Duration.ofSeconds(3), Duration.ofMillis(100));
    var old = made();
    var fresh = made();
    var directory = Files.createDirectory(folder.resolve("certificates"));
    write(directory, old);
    try (var _ = cluster.controller(cluster.settings().with(Optional.of(directory), lives))) {
      review();
      assertThat(isBelievedBy(old)).isTrue();
      assertThat(isBelievedBy(fresh)).isFalse();

      write(directory, fresh);
      long end = System.nanoTime() + LIMIT.toNanos();
      while (!isBelievedBy(fresh) && System.nanoTime() < end) {
        review();
      }

      assertThat(isBelievedBy(fresh)).isTrue();
      assertThat(isBelievedBy(old)).as("the old one is no longer shown").isFalse();
      while (!cluster.bundle().equals(fresh.authorities()) && System.nanoTime() < end) {
        review();
      }
      assertThat(cluster.bundle())
          .as("only the new one is trusted in the end")
          .isEqualTo(fresh.authorities());
      assertThat(cluster.refusals()).isEmpty();
    }
  }

  private void review() throws Exception {
    var answer = cluster.review(JOB_SETS, JOB_SET);
    assertThat(answer.status()).as(new String(answer.body(), UTF_8)).isEqualTo(201);
  }

  /** Whether a client that trusts only these authorities gets a connection to the webhook. */
  private boolean isBelievedBy(ServiceCertificates trusted) throws Exception {
    var factory = PemTls.context(trusted.authorities()).getSocketFactory();
    try (var socket =
        (SSLSocket) factory.createSocket(InetAddress.ofLiteral("127.0.0.1"), cluster.webhookPort)) {
      socket.startHandshake();
      return true;
    } catch (SSLHandshakeException e) {
      return false;
    }
  }

  private static ServiceCertificates made() throws IOException {
    return ServiceCertificates.make(
        Instant.now(), Duration.ofHours(2), Set.of(), Set.of("127.0.0.1"));
  }

  private static void write(Path directory, ServiceCertificates made) throws IOException {
    Files.writeString(directory.resolve("ca.crt"), made.authorities());
    Files.writeString(directory.resolve("tls.crt"), made.certificate());
    Files.writeString(directory.resolve("tls.key"), made.key());
  }
}
