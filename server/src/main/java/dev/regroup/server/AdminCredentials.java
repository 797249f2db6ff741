package dev.regroup.server;

import dev.regroup.client.https.HttpsTransport;
import dev.regroup.client.https.PemTls;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.Objects;
import java.util.Optional;

/**
 * What an administrator's kubeconfig needs, as PEM texts. The key is a secret: it may be written to
 * owner-only files and nowhere else.
 */
public record AdminCredentials(String caPem, String certificatePem, String keyPem) {

  public AdminCredentials {
    Objects.requireNonNull(caPem, "caPem");
    Objects.requireNonNull(certificatePem, "certificatePem");
    Objects.requireNonNull(keyPem, "keyPem");
  }

  /** A way to the server at this address, as the administrator. */
  public HttpsTransport connect(URI address) {
    try {
      return new HttpsTransport(
          address, PemTls.context(caPem, certificatePem, keyPem), Optional::empty);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("the administrator's certificate is not usable", e);
    }
  }

  /** Without the key. */
  @Override
  public String toString() {
    return "AdminCredentials[certificate and key of the administrator]";
  }
}
