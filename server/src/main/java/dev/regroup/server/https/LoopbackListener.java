package dev.regroup.server.https;

import dev.regroup.server.wire.Exchange;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves plain HTTP/1.1 where no other machine reaches: at a port of 127.0.0.1, or at a socket in
 * the file system. Nobody is known by a certificate here: the exchange has to ask everybody. Each
 * request runs on a virtual thread of its own; a stream keeps its connection until it ends. {@link
 * #close} ends what is under way.
 */
public final class LoopbackListener implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LoopbackListener.class);
  private static final int MOST_AT_A_PORT = 200;
  private static final int MOST_AT_A_SOCKET = 4_000; // two for each pod a node can have, and more
  private static final int HEADER_LIMIT = 16 * 1024;
  private static final Duration IDLE = Duration.ofMinutes(1);
  private static final Duration STOP = Duration.ofSeconds(2);

  private final Server server;
  private final HttpRequests requests;

  private LoopbackListener(Server server, HttpRequests requests) {
    this.server = server;
    this.requests = requests;
  }

  /**
   * Opens the port; requests are answered when this returns.
   *
   * @param port 0 for any free one
   * @param bodyLimit larger bodies are refused
   */
  public static LoopbackListener start(int port, int bodyLimit, Exchange exchange)
      throws IOException {
    var server = server();
    var connector = new ServerConnector(server, 1, 1, http());
    connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
    connector.setPort(port);
    connector.addBean(new NetworkConnectionLimit(MOST_AT_A_PORT, connector));
    return start(server, connector, bodyLimit, exchange, "port %d of 127.0.0.1".formatted(port));
  }

  /**
   * Opens the socket; requests are answered when this returns. Everybody who can reach the file may
   * connect, so who may is up to the folder it is in. What is left of an earlier one is replaced.
   */
  public static LoopbackListener at(Path socket, int bodyLimit, Exchange exchange)
      throws IOException {
    Files.deleteIfExists(socket);
    var server = server();
    var connector = new UnixDomainServerConnector(server, 1, 1, http());
    connector.setUnixDomainPath(socket);
    connector.addBean(new NetworkConnectionLimit(MOST_AT_A_SOCKET, connector));
    var listener = start(server, connector, bodyLimit, exchange, socket.toString());
    Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
    return listener;
  }

  private static Server server() {
    var pool = new VirtualThreadPool(0); // 0: no limit; the connections have one
    pool.setName("loopback");
    return new Server(pool);
  }

  private static HttpConnectionFactory http() {
    var http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HEADER_LIMIT);
    http.setUriCompliance(UriCompliance.UNSAFE);
    http.setHttpCompliance(HttpCompliance.STRICT);
    return new HttpConnectionFactory(http);
  }

  private static LoopbackListener start(
      Server server, AbstractConnector connector, int bodyLimit, Exchange exchange, String place)
      throws IOException {
    connector.setIdleTimeout(IDLE.toMillis());
    server.addConnector(connector);
    var bodies = new RequestBody(bodyLimit, BodyBudget.ofHeap(Runtime.getRuntime().maxMemory()));
    var requests = new HttpRequests(exchange, bodies, new CancelControl(1));
    server.setHandler(requests);
    server.setStopTimeout(STOP.toMillis());
    var listener = new LoopbackListener(server, requests);
    try {
      server.start();
      return listener;
    } catch (Exception e) { // Jetty declares no narrower one
      listener.close();
      throw new IOException(place + " cannot be opened", e);
    }
  }

  /** Of a listener at a port. */
  public int port() {
    return ((ServerConnector) server.getConnectors()[0]).getLocalPort();
  }

  @Override
  public void close() {
    try {
      requests.endStreams();
      server.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) { // Jetty declares no narrower one
      LOG.warn("The listener did not stop cleanly", e);
    }
  }
}
