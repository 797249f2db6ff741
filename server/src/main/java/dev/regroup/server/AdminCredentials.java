package dev.regroup.server;

import java.util.Objects;

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

  /** Without the key. */
  @Override
  public String toString() {
    return "AdminCredentials[certificate and key of the administrator]";
  }
}
