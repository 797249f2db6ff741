package dev.regroup.server;

import dev.regroup.api.Gates;
import dev.regroup.client.Transport;
import dev.regroup.client.https.HttpsTransport;
import dev.regroup.server.access.Identity;
import dev.regroup.server.https.Pki;
import dev.regroup.testing.MadeOnce;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Random;
import javax.net.ssl.SSLContext;

/** A real server in a directory of its own, reachable both ways. */
final class TestServer implements AutoCloseable {

  /** The two ways into the pipeline. */
  enum Carrier {
    IN_PROCESS,
    HTTPS
  }

  private static final MadeOnce PKI =
      new MadeOnce(directory -> Pki.open(directory, InstantSource.system()));

  private final ApiServer server;

  private TestServer(ApiServer server) {
    this.server = server;
  }

  static TestServer start(Path directory) throws Exception {
    return start(directory, Gates.upstream());
  }

  static TestServer start(Path directory, Gates gates) throws Exception {
    return new TestServer(
        ApiServer.start(
            new ApiServer.Settings(
                certified(directory), 0, gates, InstantSource.system(), new Random(7))));
  }

  static TestServer start(Path directory, InstantSource clock) throws Exception {
    return new TestServer(
        ApiServer.start(
            new ApiServer.Settings(
                certified(directory), 0, Gates.upstream(), clock, new Random(7))));
  }

  /** Puts certificates into a server's directory: to make them takes longer than most tests. */
  static Path certified(Path directory) throws IOException {
    PKI.at(directory.resolve("pki"));
    return directory;
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
    return new Api(https(address, TestTls.of(admin), ""));
  }

  /** The administrator's TLS, for clients of other kinds. */
  SSLContext adminTls() throws GeneralSecurityException, IOException {
    return TestTls.of(server.admin());
  }

  /** TLS of somebody without a certificate. */
  SSLContext strangersTls() throws GeneralSecurityException, IOException {
    return TestTls.ofStranger(server.admin().caPem());
  }

  Api anonymous() throws GeneralSecurityException, IOException {
    return new Api(https(server.address(), strangersTls(), ""));
  }

  Api withToken(String token) throws GeneralSecurityException, IOException {
    return new Api(https(server.address(), strangersTls(), token));
  }

  private static Transport https(URI address, SSLContext tls, String token) {
    Optional<String> bearer = token.isEmpty() ? Optional.empty() : Optional.of(token);
    return new HttpsTransport(address, tls, () -> bearer);
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
