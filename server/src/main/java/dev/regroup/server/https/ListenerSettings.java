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
 */
public record ListenerSettings(List<Place> places, X509Certificate clientAuthority, int bodyLimit) {

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

  SslContextFactory.Server tls(Place place) throws IOException {
    var tls = new SslContextFactory.Server();
    tls.setKeyStore(keys(place));
    tls.setKeyStorePassword("");
    tls.setCertAlias("0");
    tls.setTrustStore(store(store -> store.setCertificateEntry("ca", clientAuthority)));
    tls.setWantClientAuth(true);
    tls.setEndpointIdentificationAlgorithm(null);
    return tls;
  }

  private static KeyStore keys(Place place) throws IOException {
    return store(store -> {
      int number = 0;
      for (var one : place.certificates()) {
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
