package dev.regroup.server.https;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PkiTest {
  private static final Instant NOW = Instant.parse("2026-11-16T00:00:00Z");
  private static final InstantSource CLOCK = InstantSource.fixed(NOW);

  @TempDir Path directory;

  @Test
  void the_server_has_every_name_pods_and_users_call_it_by() throws Exception {
    Pki.open(directory, CLOCK);

    assertThat(names())
        .containsExactlyInAnyOrder(
            "kubernetes",
            "kubernetes.default",
            "kubernetes.default.svc",
            "kubernetes.default.svc.cluster.local",
            "localhost",
            "10.96.0.1",
            "127.0.0.1",
            "0:0:0:0:0:0:0:1");
  }

  /** Clients that know no other sign take every key of a kubeconfig for RSA. */
  @Test
  void the_administrators_key_says_of_what_kind_it_is() throws Exception {
    assertThat(Pki.open(directory, CLOCK).adminKeyPem()).startsWith("-----BEGIN EC PRIVATE KEY");
  }

  @Test
  void certificates_are_kept_while_they_are_good() throws Exception {
    String first = Pki.open(directory, CLOCK).caPem();

    assertThat(Pki.open(directory, CLOCK).caPem()).isEqualTo(first);
  }

  @Test
  void a_certificate_that_lacks_a_name_is_replaced() throws Exception {
    var old =
        NewCertificates.make(
            NOW, Set.of("localhost", "kubernetes.default.svc"), Set.of("127.0.0.1"));
    for (var file : old.files().entrySet()) {
      Files.writeString(directory.resolve(file.getKey()), file.getValue());
    }
    Files.writeString(directory.resolve("complete"), "");

    var opened = Pki.open(directory, CLOCK);

    assertThat(opened.caPem()).isNotEqualTo(old.files().get("ca.crt"));
    assertThat(names()).contains("10.96.0.1", "kubernetes.default.svc.cluster.local");
  }

  private List<String> names() throws Exception {
    var pem = Files.readString(directory.resolve("server.crt"));
    var certificate =
        (X509Certificate)
            CertificateFactory.getInstance("X.509")
                .generateCertificate(
                    new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
    return certificate.getSubjectAlternativeNames().stream()
        .map(name -> String.valueOf(name.get(1)))
        .toList();
  }
}
