package dev.regroup.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.jspecify.annotations.Nullable;

/** The client's side of TLS: trusts one server, and shows a certificate or none. */
public final class TestTls {

  private static final char[] NO_PASSWORD = {};

  private TestTls() {}

  public static SSLContext of(AdminCredentials admin) throws GeneralSecurityException, IOException {
    var keys = KeyStore.getInstance("PKCS12");
    keys.load(null, NO_PASSWORD);
    keys.setKeyEntry(
        "admin",
        key(admin.keyPem()),
        NO_PASSWORD,
        new Certificate[] {certificate(admin.certificatePem())});
    var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keys, NO_PASSWORD);
    return context(admin.caPem(), factory.getKeyManagers());
  }

  public static SSLContext ofStranger(String caPem) throws GeneralSecurityException, IOException {
    return context(caPem, null);
  }

  private static SSLContext context(String caPem, KeyManager @Nullable [] keys)
      throws GeneralSecurityException, IOException {
    var trust = KeyStore.getInstance("PKCS12");
    trust.load(null, NO_PASSWORD);
    trust.setCertificateEntry("ca", certificate(caPem));
    var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusted.init(trust);
    var context = SSLContext.getInstance("TLS");
    context.init(keys, trusted.getTrustManagers(), null);
    return context;
  }

  private static Certificate certificate(String pem) throws GeneralSecurityException {
    return CertificateFactory.getInstance("X.509")
        .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
  }

  private static PrivateKey key(String pem) throws IOException {
    try (var parser = new PEMParser(new StringReader(pem))) {
      return new JcaPEMKeyConverter().getKeyPair((PEMKeyPair) parser.readObject()).getPrivate();
    }
  }
}
