package dev.regroup.client.https;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** TLS from the PEM texts of a kubeconfig: whom to trust, and who we are. */
public final class PemTls {

  private PemTls() {}

  /**
   * Makes the context of a client.
   *
   * @param ca certificates of those who may vouch for the server
   * @param certificate our own, with its chain
   * @param key of our certificate, PKCS#8
   */
  public static SSLContext context(String ca, String certificate, String key)
      throws GeneralSecurityException, IOException {
    var certificates = CertificateFactory.getInstance("X.509");
    var chain = certificates.generateCertificates(stream(certificate)).toArray(Certificate[]::new);
    byte[] der = Base64.getDecoder().decode(key.replaceAll("-----[A-Z ]+-----|\\s", ""));
    var own = empty();
    own.setKeyEntry(
        "own",
        KeyFactory.getInstance(chain[0].getPublicKey().getAlgorithm())
            .generatePrivate(new PKCS8EncodedKeySpec(der)),
        new char[0],
        chain);
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, new char[0]);
    return context(keys.getKeyManagers(), ca);
  }

  /** For a client without a certificate: it shows a token, or nothing. */
  public static SSLContext context(String ca) throws GeneralSecurityException, IOException {
    return context(null, ca);
  }

  private static SSLContext context(KeyManager @Nullable [] keys, String ca)
      throws GeneralSecurityException, IOException {
    var trusted = empty();
    int number = 0;
    for (var one : CertificateFactory.getInstance("X.509").generateCertificates(stream(ca))) {
      trusted.setCertificateEntry("ca-" + number++, one);
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    var context = SSLContext.getInstance("TLS");
    context.init(keys, trust.getTrustManagers(), null);
    return context;
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    var store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static ByteArrayInputStream stream(String pem) {
    return new ByteArrayInputStream(pem.getBytes(UTF_8));
  }
}
