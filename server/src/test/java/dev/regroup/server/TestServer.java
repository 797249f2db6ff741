package dev.regroup.server;

import dev.regroup.api.Gates;
import dev.regroup.client.HttpsTransport;
import dev.regroup.client.Transport;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.Random;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A real server in a directory of its own, reachable both ways. */
final class TestServer implements AutoCloseable {

  /** The two ways into the pipeline. */
  enum Carrier {
    IN_PROCESS,
    HTTPS
  }

  private static final char[] NO_PASSWORD = {};

  private final ApiServer server;

  private TestServer(ApiServer server) {
    this.server = server;
  }

  static TestServer start(Path directory) throws Exception {
    return new TestServer(
        ApiServer.start(
            new ApiServer.Settings(
                directory, 0, Gates.upstream(), InstantSource.system(), new Random(7))));
  }

  ApiServer server() {
    return server;
  }

  Api admin(Carrier carrier) throws GeneralSecurityException, IOException {
    return switch (carrier) {
      case IN_PROCESS -> new Api(server.inProcess(Identity.admin()));
      case HTTPS -> adminOf(server.address(), server.admin());
    };
  }

  /** The administrator of any server. */
  static Api adminOf(URI address, AdminCredentials admin)
      throws GeneralSecurityException, IOException {
    return new Api(https(address, admin.caPem(), adminKeys(admin), ""));
  }

  /** The administrator's TLS, for clients of other kinds. */
  SSLContext adminTls() throws GeneralSecurityException, IOException {
    return tls(server.admin().caPem(), adminKeys(server.admin()));
  }

  /** TLS of somebody without a certificate. */
  SSLContext strangersTls() throws GeneralSecurityException, IOException {
    return tls(server.admin().caPem(), null);
  }

  Api anonymous() throws GeneralSecurityException, IOException {
    return new Api(https(server.address(), server.admin().caPem(), null, ""));
  }

  Api withToken(String token) throws GeneralSecurityException, IOException {
    return new Api(https(server.address(), server.admin().caPem(), null, token));
  }

  private static Transport https(
      URI address, String caPem, KeyManager @Nullable [] keys, String token)
      throws GeneralSecurityException, IOException {
    Optional<String> bearer = token.isEmpty() ? Optional.empty() : Optional.of(token);
    return new HttpsTransport(address, tls(caPem, keys), () -> bearer);
  }

  private static SSLContext tls(String caPem, KeyManager @Nullable [] keys)
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

  private static KeyManager[] adminKeys(AdminCredentials admin)
      throws GeneralSecurityException, IOException {
    var keys = KeyStore.getInstance("PKCS12");
    keys.load(null, NO_PASSWORD);
    keys.setKeyEntry(
        "admin",
        key(admin.keyPem()),
        NO_PASSWORD,
        new Certificate[] {certificate(admin.certificatePem())});
    var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keys, NO_PASSWORD);
    return factory.getKeyManagers();
  }

  private static Certificate certificate(String pem) throws GeneralSecurityException {
    return CertificateFactory.getInstance("X.509")
        .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
  }

  private static PrivateKey key(String pem) throws GeneralSecurityException {
    var text = new StringBuilder();
    pem.lines().filter(line -> !line.startsWith("-----")).forEach(text::append);
    var bytes = Base64.getDecoder().decode(text.toString());
    return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(bytes));
  }

  /** Writes an administrator's kubeconfig. */
  Path kubeconfig(Path file) throws IOException {
    return Files.writeString(file, ServeByHand.kubeconfig(server));
  }

  @Override
  public void close() {
    server.close();
  }
}
