package dev.regroup.agent;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to the API server with the pod's service account. Token and certificates are
 * read whenever they are needed: both are replaced while the pod lives. Used by several threads.
 *
 * <p>The first key exchange offers x25519 only and asks for an RSA signature where the server has a
 * choice: in a JVM that has just started everything else takes twice as long. A server that refuses
 * gets everything the JDK knows.
 */
final class ApiConnector {

  private static final int CONNECT_MILLIS = 5_000;
  private static final int ANSWER_MILLIS = 30_000;
  private static final String[] FAST_GROUPS = {"x25519"};
  private static final String[] RSA_FIRST = {
    "rsa_pss_rsae_sha256",
    "rsa_pkcs1_sha256",
    "rsa_pss_rsae_sha384",
    "rsa_pss_rsae_sha512",
    "rsa_pkcs1_sha384",
    "rsa_pkcs1_sha512",
    "ecdsa_secp256r1_sha256",
    "ecdsa_secp384r1_sha384",
    "ecdsa_secp521r1_sha512"
  };

  private final AgentConfig.ApiAddress address;
  private final String authority;
  private byte[] knownAuthority = {};
  private @Nullable SSLSocketFactory sockets;
  private boolean everything; // a server refused the fast offer

  ApiConnector(AgentConfig.ApiAddress address) {
    this.address = address;
    String host = address.host();
    this.authority = (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.port();
  }

  String token() throws IOException {
    return Files.readString(address.account().resolve("token")).strip();
  }

  /**
   * Through the socket of this machine's node, where there is one; else, or if it fails, by TLS.
   */
  ApiLink open() throws IOException {
    Path socket = address.socket();
    if (socket != null) {
      try {
        return new ApiLink(
            new ApiWire.Local(SocketChannel.open(UnixDomainSocketAddress.of(socket))), authority);
      } catch (IOException _) {
        // nobody listens there now: the network may know more
      }
    }
    return openSecure();
  }

  private ApiLink openSecure() throws IOException {
    try {
      return open(offersEverything());
    } catch (SSLHandshakeException e) {
      if (offersEverything() || !(e.getMessage() + "").contains("alert")) {
        throw e; // ours to refuse, or nothing more to offer
      }
      AgentLog.say("the API server refuses x25519, offering every key exchange: " + e.getMessage());
      offerEverything();
      return open(true);
    }
  }

  private synchronized boolean offersEverything() {
    return everything;
  }

  private synchronized void offerEverything() {
    everything = true;
  }

  private ApiLink open(boolean offerEverything) throws IOException {
    var factory = sockets();
    var raw = new Socket();
    try {
      raw.setTcpNoDelay(true);
      raw.connect(new InetSocketAddress(address.host(), address.port()), CONNECT_MILLIS);
      raw.setSoTimeout(ANSWER_MILLIS);
      var secure =
          (SSLSocket)
              factory.createSocket(raw, address.host(), address.port(), /* autoClose= */ true);
      SSLParameters parameters = secure.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      if (!offerEverything) {
        parameters.setNamedGroups(FAST_GROUPS);
        parameters.setSignatureSchemes(RSA_FIRST);
      }
      secure.setSSLParameters(parameters);
      secure.startHandshake();
      return new ApiLink(new ApiWire.Network(secure), authority);
    } catch (IOException | RuntimeException e) {
      raw.close();
      throw e;
    }
  }

  /** Trusts what the mounted file holds now; made again only when the file has changed. */
  private synchronized SSLSocketFactory sockets() throws IOException {
    byte[] pem = Files.readAllBytes(address.account().resolve("ca.crt"));
    if (sockets == null || !Arrays.equals(pem, knownAuthority)) {
      try {
        sockets = context(pem).getSocketFactory();
      } catch (GeneralSecurityException e) {
        throw new IOException(address.account().resolve("ca.crt") + ": " + e.getMessage(), e);
      }
      knownAuthority = pem;
    }
    return sockets;
  }

  private static SSLContext context(byte[] pem) throws GeneralSecurityException, IOException {
    var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    int number = 0;
    for (Certificate certificate :
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(pem))) {
      trusted.setCertificateEntry("ca-" + number++, certificate);
    }
    var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    var context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }
}
