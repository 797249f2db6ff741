package dev.regroup.bench.outside;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.client.https.HttpsTransport;
import dev.regroup.client.https.PemTls;
import dev.regroup.server.AdminCredentials;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** Ways to an API server over HTTPS: as its administrator, with a token, as a stranger. */
public final class OutsideClients implements AutoCloseable {

  private static final int HTTP_CONFLICT = 409;

  private final URI address;
  private final AdminCredentials admin;
  private final List<HttpsTransport> connections = new ArrayList<>();

  public OutsideClients(URI address, AdminCredentials admin) {
    this.address = address;
    this.admin = admin;
  }

  /** Another connection, closed with all others. */
  public Transport connect() {
    var connection = admin.connect(address);
    connections.add(connection);
    return connection;
  }

  /** Another one, for whoever has this token; the caller closes it. */
  public HttpsTransport connect(String token) {
    try {
      return new HttpsTransport(address, stranger(), () -> Optional.of(token));
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("the authority's certificate is not usable", e);
    }
  }

  public int port() {
    return address.getPort();
  }

  /** For a client that has never been here and shows no certificate. */
  public SSLContext stranger() throws GeneralSecurityException, IOException {
    return PemTls.context(admin.caPem());
  }

  public List<Transport> connect(int count) {
    var several = new ArrayList<Transport>();
    for (int i = 0; i < count; i++) {
      several.add(connect());
    }
    return several;
  }

  /** Sends JSON and insists on success. */
  public static Response send(
      Transport transport, String method, String path, String mediaType, String body)
      throws IOException, InterruptedException {
    var headers = Headers.of("content-type", mediaType);
    var response = transport.send(new Request(method, path, "", headers, body.getBytes(UTF_8)));
    if (!response.ok()) {
      throw new IOException(
          "%s %s: HTTP %d %s"
              .formatted(method, path, response.status(), new String(response.body(), UTF_8)));
    }
    return response;
  }

  /** The account that pods of a namespace need: made here, unless a controller was faster. */
  public static void ensureAccount(Transport transport, String namespace)
      throws IOException, InterruptedException {
    var answer =
        transport.send(
            Request.of(
                "POST",
                "/api/v1/namespaces/" + namespace + "/serviceaccounts",
                "application/json",
                "{\"metadata\":{\"name\":\"default\"}}".getBytes(UTF_8)));
    if (!answer.ok() && answer.status() != HTTP_CONFLICT) {
      throw new IOException("no account: HTTP " + answer.status());
    }
  }

  @Override
  public void close() {
    connections.forEach(HttpsTransport::close);
  }
}
