package dev.regroup.server.https;

import dev.regroup.server.wire.Exchange;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves plain HTTP/1.1 at one port of 127.0.0.1, which no other machine reaches. Nobody is known
 * by a certificate here: the exchange has to ask everybody. Each request runs on a virtual thread
 * of its own; a stream keeps its connection until it ends. {@link #close} ends what is under way.
 */
public final class LoopbackListener implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LoopbackListener.class);
  private static final int MOST_CONNECTIONS = 200;
  private static final int HEADER_LIMIT = 16 * 1024;
  private static final Duration IDLE = Duration.ofMinutes(1);
  private static final Duration STOP = Duration.ofSeconds(2);

  private final Server server;
  private final ServerConnector connector;
  private final HttpRequests requests;

  private LoopbackListener(Server server, ServerConnector connector, HttpRequests requests) {
    this.server = server;
    this.connector = connector;
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
    var pool = new VirtualThreadPool(0); // 0: no limit; the connections have one
    pool.setName("loopback");
    var server = new Server(pool);
    var http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HEADER_LIMIT);
    http.setHttpCompliance(HttpCompliance.STRICT);
    var connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
    connector.setPort(port);
    connector.setIdleTimeout(IDLE.toMillis());
    connector.addBean(new NetworkConnectionLimit(MOST_CONNECTIONS, connector));
    server.addConnector(connector);
    var bodies = new RequestBody(bodyLimit, BodyBudget.ofHeap(Runtime.getRuntime().maxMemory()));
    var requests = new HttpRequests(exchange, bodies, new CancelControl(1));
    server.setHandler(requests);
    server.setStopTimeout(STOP.toMillis());
    var listener = new LoopbackListener(server, connector, requests);
    try {
      server.start();
      return listener;
    } catch (Exception e) { // Jetty declares no narrower one
      listener.close();
      throw new IOException("port %d of 127.0.0.1 cannot be opened".formatted(port), e);
    }
  }

  public int port() {
    return connector.getLocalPort();
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
