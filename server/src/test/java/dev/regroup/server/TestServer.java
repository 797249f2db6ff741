package dev.regroup.server;

import dev.regroup.api.Gates;
import dev.regroup.client.HttpsTransport;
import dev.regroup.client.Transport;
import java.io.ByteArrayInputStream;
import java.io.IOException;
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
      case HTTPS -> new Api(https(adminKeys(), ""));
    };
  }

  Api anonymous() throws GeneralSecurityException, IOException {
    return new Api(https(null, ""));
  }

  Api withToken(String token) throws GeneralSecurityException, IOException {
    return new Api(https(null, token));
  }

  private Transport https(KeyManager @Nullable [] keys, String token)
      throws GeneralSecurityException, IOException {
    var trust = KeyStore.getInstance("PKCS12");
    trust.load(null, NO_PASSWORD);
    trust.setCertificateEntry("ca", certificate(server.admin().caPem()));
    var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusted.init(trust);
    var context = SSLContext.getInstance("TLS");
    context.init(keys, trusted.getTrustManagers(), null);
    Optional<String> bearer = token.isEmpty() ? Optional.empty() : Optional.of(token);
    return new HttpsTransport(server.address(), context, () -> bearer);
  }

  private KeyManager[] adminKeys() throws GeneralSecurityException, IOException {
    var keys = KeyStore.getInstance("PKCS12");
    keys.load(null, NO_PASSWORD);
    keys.setKeyEntry(
        "admin",
        key(server.admin().keyPem()),
        NO_PASSWORD,
        new Certificate[] {certificate(server.admin().certificatePem())});
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
