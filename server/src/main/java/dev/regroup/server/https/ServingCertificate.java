package dev.regroup.server.https;

import dev.regroup.client.https.PemKeys;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
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

  /**
   * From the texts of PEM files. The key has any of the forms that PEM files have, and is that of
   * the first certificate: of files that somebody replaces one after the other, one may be older.
   */
  public static ServingCertificate ofPem(String chain, String key) throws GeneralSecurityException {
    var certificates = certificates(chain);
    if (certificates.isEmpty()) {
      throw new CertificateException("no certificate in PEM form");
    }
    var own = certificates.getFirst().getPublicKey();
    var made = new ServingCertificate(PemKeys.of(key, own), certificates);
    if (!made.belongTogether()) {
      throw new InvalidKeyException("the key is not that of the certificate");
    }
    return made;
  }

  private boolean belongTogether() throws GeneralSecurityException {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          case String other -> other; // EdDSA
        };
    var word = "regroup".getBytes(StandardCharsets.US_ASCII);
    var signature = Signature.getInstance(algorithm);
    signature.initSign(key);
    signature.update(word);
    byte[] signed = signature.sign();
    signature.initVerify(chain.getFirst().getPublicKey());
    signature.update(word);
    return signature.verify(signed);
  }

  static List<X509Certificate> certificates(String pem) throws GeneralSecurityException {
    var bytes = pem.getBytes(StandardCharsets.US_ASCII);
    return CertificateFactory.getInstance("X.509")
        .generateCertificates(new ByteArrayInputStream(bytes))
        .stream()
        .map(X509Certificate.class::cast)
        .toList();
  }
}
