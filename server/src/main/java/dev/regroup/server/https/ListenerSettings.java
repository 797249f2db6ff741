package dev.regroup.server.https;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/**
 * Where a listener is reached, and how it proves who it is.
 *
 * @param places at least one
 * @param clientAuthority whose certificates clients may show
 * @param bodyLimit larger bodies are refused
 * @param limits what connections may agree on
 */
public record ListenerSettings(
    List<Place> places, X509Certificate clientAuthority, int bodyLimit, TlsLimits limits) {

  /**
   * What the two ends of a connection may agree on; an empty list leaves it to the platform.
   *
   * @param protocols such as {@code TLSv1.3}
   */
  public record TlsLimits(List<String> protocols, List<String> cipherSuites) {
    public static final TlsLimits NONE = new TlsLimits(List.of(), List.of());

    public TlsLimits {
      protocols = List.copyOf(protocols);
      cipherSuites = List.copyOf(cipherSuites);
    }
  }

  public ListenerSettings(List<Place> places, X509Certificate clientAuthority, int bodyLimit) {
    this(places, clientAuthority, bodyLimit, TlsLimits.NONE);
  }

  /**
   * One address.
   *
   * @param address with port 0 for any free one
   * @param certificates a client that names one of their hosts (SNI) sees that one, any other the
   *     first
   */
  public record Place(InetSocketAddress address, List<ServingCertificate> certificates) {
    public Place {
      certificates = List.copyOf(certificates);
      if (certificates.isEmpty()) {
        throw new IllegalArgumentException("an address needs a certificate");
      }
    }
  }

  public ListenerSettings {
    places = List.copyOf(places);
    if (places.isEmpty()) {
      throw new IllegalArgumentException("a listener needs an address");
    }
  }

  /** The same, that agrees on nothing older or weaker. */
  public ListenerSettings with(TlsLimits other) {
    return new ListenerSettings(places, clientAuthority, bodyLimit, other);
  }

  SslContextFactory.Server tls(Place place) throws IOException {
    var tls = new SslContextFactory.Server();
    tls.setKeyStore(keys(place.certificates()));
    if (!limits.protocols().isEmpty()) {
      tls.setIncludeProtocols(limits.protocols().toArray(String[]::new));
    }
    if (!limits.cipherSuites().isEmpty()) {
      tls.setIncludeCipherSuites(limits.cipherSuites().toArray(String[]::new));
    }
    tls.setKeyStorePassword("");
    tls.setCertAlias("0");
    tls.setTrustStore(store(store -> store.setCertificateEntry("ca", clientAuthority)));
    tls.setWantClientAuth(true);
    tls.setEndpointIdentificationAlgorithm(null);
    return tls;
  }

  static KeyStore keys(List<ServingCertificate> certificates) throws IOException {
    return store(store -> {
      int number = 0;
      for (var one : certificates) {
        store.setKeyEntry(
            Integer.toString(number),
            one.key(),
            new char[0],
            one.chain().toArray(Certificate[]::new));
        number++;
      }
    });
  }

  private interface Fill {
    void into(KeyStore store) throws GeneralSecurityException;
  }

  private static KeyStore store(Fill fill) throws IOException {
    try {
      var store = KeyStore.getInstance("PKCS12");
      store.load(null, new char[0]);
      fill.into(store);
      return store;
    } catch (GeneralSecurityException e) {
      throw new IOException("certificates cannot be used", e);
    }
  }
}
