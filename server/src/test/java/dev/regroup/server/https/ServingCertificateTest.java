package dev.regroup.server.https;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Files of {@code --webhook-cert-dir} are written by others, in their ways and at their times. */
class ServingCertificateTest {

  private static final String MARK = "-----BEGIN PRIVATE KEY-----";

  @Test
  void a_key_of_another_certificate_is_refused() throws Exception {
    var one = made();
    var other = new ServiceCertificates(one.authorities(), one.certificate(), made().key());

    assertThatThrownBy(other::serving)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the key is not that of the certificate");
  }

  @Test
  void a_file_without_a_certificate_is_refused() throws Exception {
    var empty = new ServiceCertificates("", "", made().key());

    assertThatThrownBy(empty::expires)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no certificate in PEM form");
  }

  /** What cert-manager writes unless it is told otherwise. */
  @Test
  void a_key_in_the_older_form_of_its_algorithm_is_read() throws Exception {
    var made = made();
    var older = new ServiceCertificates("", made.certificate(), sec1(made.key()));

    assertThat(older.serving().key()).isEqualTo(made.serving().key());
  }

  private static ServiceCertificates made() throws IOException {
    return ServiceCertificates.make(
        Instant.now(), Duration.ofHours(1), Set.of("service"), Set.of());
  }

  /** A P-256 key in PKCS#8 is a head of fixed length, then the key in its older form. */
  private static String sec1(String pkcs8) {
    assertThat(pkcs8).startsWith(MARK);
    var base64 = pkcs8.replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
    byte[] whole = Base64.getDecoder().decode(base64);
    int at = whole.length - 1;
    while (!(whole[at] == 0x04 && isSequence(whole, at + 2))) {
      at--;
    }
    byte[] inner = Arrays.copyOfRange(whole, at + 2, whole.length);
    return "-----BEGIN EC PRIVATE KEY-----\n%s\n-----END EC PRIVATE KEY-----\n"
        .formatted(Base64.getMimeEncoder().encodeToString(inner));
  }

  private static boolean isSequence(byte[] der, int at) {
    return at + 1 < der.length && der[at] == 0x30 && at + 2 + der[at + 1] == der.length;
  }
}
