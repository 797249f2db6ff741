package dev.regroup.server.https;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/**
 * What a server shows to prove who it is.
 *
 * @param chain its own certificate, then those that vouch for it
 */
public record ServingCertificate(PrivateKey key, List<X509Certificate> chain) {

  public ServingCertificate {
    chain = List.copyOf(chain);
  }

  /** From the texts of PEM files. */
  public static ServingCertificate ofPem(String chain, String key) throws GeneralSecurityException {
    return new ServingCertificate(privateKey(key), certificates(chain));
  }

  static List<X509Certificate> certificates(String pem) throws GeneralSecurityException {
    var bytes = pem.getBytes(StandardCharsets.US_ASCII);
    return CertificateFactory.getInstance("X.509")
        .generateCertificates(new ByteArrayInputStream(bytes))
        .stream()
        .map(X509Certificate.class::cast)
        .toList();
  }

  private static PrivateKey privateKey(String pem) throws GeneralSecurityException {
    var lines = new StringBuilder();
    pem.lines().filter(line -> !line.startsWith("-----")).forEach(lines::append);
    var encoded = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(lines.toString()));
    try {
      return KeyFactory.getInstance("RSA").generatePrivate(encoded);
    } catch (InvalidKeySpecException e) {
      return KeyFactory.getInstance("EC").generatePrivate(encoded);
    }
  }
}
