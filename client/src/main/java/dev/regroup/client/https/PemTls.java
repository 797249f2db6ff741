package dev.regroup.client.https;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** TLS from the PEM texts of a kubeconfig: whom to trust, and who we are. */
public final class PemTls {

  private PemTls() {}

  /**
   * Makes the context of a client.
   *
   * @param ca certificates of those who may vouch for the server; empty for those the platform
   *     trusts
   * @param certificate our own, with its chain
   * @param key of our certificate: PKCS#8, or the older form of its algorithm (PKCS#1, SEC 1)
   */
  public static SSLContext context(String ca, String certificate, String key)
      throws GeneralSecurityException, IOException {
    return context(own(certificate, key), trusted(ca));
  }

  /** For a client without a certificate: it shows a token, or nothing. */
  public static SSLContext context(String ca) throws GeneralSecurityException, IOException {
    return context(null, trusted(ca));
  }

  /** For a server that is believed whoever it is, when a kubeconfig says so in as many words. */
  public static SSLContext believingAnybody(String certificate, String key)
      throws GeneralSecurityException, IOException {
    return context(
        certificate.isEmpty() ? null : own(certificate, key), new TrustManager[] {new AnyServer()});
  }

  private static SSLContext context(KeyManager @Nullable [] keys, TrustManager @Nullable [] trusted)
      throws GeneralSecurityException {
    var context = SSLContext.getInstance("TLS");
    context.init(keys, trusted, null);
    return context;
  }

  private static KeyManager[] own(String certificate, String key)
      throws GeneralSecurityException, IOException {
    var certificates = CertificateFactory.getInstance("X.509");
    var chain = certificates.generateCertificates(stream(certificate)).toArray(Certificate[]::new);
    if (chain.length == 0) {
      throw new CertificateException("no certificate in PEM form");
    }
    var own = empty();
    own.setKeyEntry("own", PemKeys.of(key, chain[0].getPublicKey()), new char[0], chain);
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, new char[0]);
    return keys.getKeyManagers();
  }

  private static TrustManager @Nullable [] trusted(String ca)
      throws GeneralSecurityException, IOException {
    if (ca.isEmpty()) {
      return null; // whom the platform trusts
    }
    var trusted = empty();
    int number = 0;
    for (var one : CertificateFactory.getInstance("X.509").generateCertificates(stream(ca))) {
      trusted.setCertificateEntry("ca-" + number++, one);
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    return trust.getTrustManagers();
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    var store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static ByteArrayInputStream stream(String pem) {
    return new ByteArrayInputStream(pem.getBytes(UTF_8));
  }

  /** An extended one, because only then the host's name is not checked either. */
  private static final class AnyServer extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
