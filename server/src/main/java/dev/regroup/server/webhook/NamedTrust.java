package dev.regroup.server.webhook;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * Trusts who is certified by these authorities under this name, whatever address it was reached at:
 * a service answers at the address of a pod.
 */
final class NamedTrust extends X509ExtendedTrustManager {
  private static final int DNS = 2;
  private static final int IP = 7;

  private final X509TrustManager chain;
  private final String host;

  NamedTrust(X509TrustManager chain, String host) {
    this.chain = chain;
    this.host = host.toLowerCase(Locale.ROOT);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] certificates, String type)
      throws CertificateException {
    chain.checkServerTrusted(certificates, type);
    checkName(certificates[0]);
  }

  private void checkName(X509Certificate certificate) throws CertificateException {
    var names = certificate.getSubjectAlternativeNames();
    if (names != null) {
      for (List<?> name : names) {
        boolean named = name.get(0) instanceof Integer kind && (kind == DNS || kind == IP);
        if (named && matches(String.valueOf(name.get(1)).toLowerCase(Locale.ROOT))) {
          return;
        }
      }
    }
    throw new CertificateException("tls: certificate is not valid for " + host);
  }

  private boolean matches(String name) {
    if (name.startsWith("*.")) {
      int dot = host.indexOf('.');
      return dot > 0 && host.substring(dot).equals(name.substring(1));
    }
    return name.equals(host);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] certificates, String type, Socket socket)
      throws CertificateException {
    checkServerTrusted(certificates, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] certificates, String type, SSLEngine engine)
      throws CertificateException {
    checkServerTrusted(certificates, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] certificates, String type)
      throws CertificateException {
    throw new CertificateException("only servers are judged here");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] certificates, String type, Socket socket)
      throws CertificateException {
    checkClientTrusted(certificates, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] certificates, String type, SSLEngine engine)
      throws CertificateException {
    checkClientTrusted(certificates, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return chain.getAcceptedIssuers();
  }
}
