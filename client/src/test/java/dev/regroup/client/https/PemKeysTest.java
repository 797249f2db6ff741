package dev.regroup.client.https;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.InvalidKeySpecException;
import java.util.Base64;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PemKeysTest {

  @ParameterizedTest
  @CsvSource({"RSA,2048,RSA PRIVATE KEY", "EC,256,EC PRIVATE KEY", "EC,521,EC PRIVATE KEY"})
  void reads_the_older_form_of_an_algorithm_and_the_common_one(
      String algorithm, int size, String label) throws Exception {
    var pair = pair(algorithm, size);
    byte[] whole = pair.getPrivate().getEncoded();
    var chatter = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";

    assertThat(PemKeys.of(pem("PRIVATE KEY", whole), pair.getPublic()))
        .isEqualTo(pair.getPrivate());
    assertThat(PemKeys.of(chatter + pem(label, inner(whole)), pair.getPublic()))
        .isEqualTo(pair.getPrivate());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
      })
  void what_is_no_key_is_refused(String text) throws Exception {
    var pair = pair("EC", 256);

    assertThatThrownBy(() -> PemKeys.of(text, pair.getPublic()))
        .isInstanceOf(InvalidKeySpecException.class);
  }

  private static KeyPair pair(String algorithm, int size) throws Exception {
    var generator = KeyPairGenerator.getInstance(algorithm);
    generator.initialize(size);
    return generator.generateKeyPair();
  }

  private static String pem(String label, byte[] der) {
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
        .formatted(label, Base64.getMimeEncoder().encodeToString(der));
  }

  /** The third element of a PKCS#8 key is the key in its older form. */
  private static byte[] inner(byte[] pkcs8) {
    var der = ByteBuffer.wrap(pkcs8);
    length(der);
    for (int i = 0; i < 2; i++) {
      int skipped = length(der);
      der.position(der.position() + skipped);
    }
    var content = new byte[length(der)];
    der.get(content);
    return content;
  }

  /** Reads the head of an element. */
  private static int length(ByteBuffer der) {
    der.get();
    int first = der.get() & 0xff;
    int length = first < 0x80 ? first : 0;
    for (int i = 0; first >= 0x80 && i < (first & 0x7f); i++) {
      length = (length << 8) | (der.get() & 0xff);
    }
    return length;
  }
}
