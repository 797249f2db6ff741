package dev.regroup.server.https;

import dev.regroup.server.wire.Exchange;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import jdk.net.ExtendedSocketOptions;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves HTTP/1.1 and HTTP/2 over TLS on one loopback port. Each request runs on a virtual thread
 * of its own, which blocks as it likes; a stream keeps its thread until it ends. {@link #close}
 * stops listening and ends what is under way.
 */
public final class HttpsListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpsListener.class);
  private static final int STREAMS_PER_CONNECTION = 1000;
  private static final int HEADER_LIMIT = 64 * 1024;
  private static final int STREAM_WINDOW = 128 * 1024;
  private static final int SESSION_WINDOW = 1024 * 1024;
  private static final long BUFFERS_KEPT = 8L * 1024 * 1024;
  private static final Duration IDLE = Duration.ofMinutes(3);
  private static final Duration STOP = Duration.ofSeconds(2);

  private final Server server;
  private final ServerConnector connector;
  private final HttpRequests requests;

  private HttpsListener(Server server, ServerConnector connector, HttpRequests requests) {
    this.server = server;
    this.connector = connector;
    this.requests = requests;
  }

  /**
   * Opens the port; requests are answered when this returns.
   *
   * @param port of 127.0.0.1; 0 takes any free one
   * @param bodyLimit larger bodies are refused
   */
  public static HttpsListener start(int port, Pki pki, int bodyLimit, Exchange exchange)
      throws IOException {
    var budget = BodyBudget.ofHeap(Runtime.getRuntime().maxMemory());
    return start(port, pki, exchange, new RequestBody(bodyLimit, budget), Door.Limits.STANDARD);
  }

  static HttpsListener start(
      int port, Pki pki, Exchange exchange, RequestBody bodies, Door.Limits connections)
      throws IOException {
    var pool = new VirtualThreadPool(0); // 0: no limit; the default of 200 would hang watch 201
    pool.setName("https");
    var server = new Server(pool, null, buffers());
    var tls = new SslContextFactory.Server();
    tls.setKeyStore(pki.serverKeys());
    tls.setKeyStorePassword("");
    tls.setTrustStore(pki.clientTrust());
    tls.setWantClientAuth(true);
    tls.setEndpointIdentificationAlgorithm(null);
    var http = new HttpConfiguration();
    http.addCustomizer(new SecureRequestCustomizer(false));
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HEADER_LIMIT);
    http.setHttpCompliance(HttpCompliance.STRICT); // a bare line feed ends no line
    var h2 = new HTTP2ServerConnectionFactory(http);
    h2.setMaxConcurrentStreams(STREAMS_PER_CONNECTION);
    h2.setInitialStreamRecvWindow(STREAM_WINDOW);
    h2.setInitialSessionRecvWindow(SESSION_WINDOW);
    var cancels = new CancelControl(STREAMS_PER_CONNECTION);
    h2.setRateControlFactory(cancels);
    var alpn = new ALPNServerConnectionFactory();
    alpn.setDefaultProtocol("http/1.1");
    var connector =
        new KeepAliveConnector(
            server,
            new SslConnectionFactory(tls, alpn.getProtocol()),
            alpn,
            h2,
            new HttpConnectionFactory(http));
    connector.setHost("127.0.0.1");
    connector.setPort(port);
    connector.setIdleTimeout(IDLE.toMillis());
    connector.addBean(cancels);
    connector.addBean(new Door(connections, connector.getScheduler()));
    server.addConnector(connector);
    var requests = new HttpRequests(exchange, bodies, cancels);
    server.setHandler(requests);
    server.setStopTimeout(STOP.toMillis());
    var listener = new HttpsListener(server, connector, requests);
    listener.startJetty(port);
    return listener;
  }

  /** Few buffers are kept: a burst of watches must not leave its memory behind. */
  private static ByteBufferPool buffers() {
    return new ArrayByteBufferPool(0, 4096, 65_536, -1, BUFFERS_KEPT, BUFFERS_KEPT);
  }

  /** A peer that is gone without a word is found out by the kernel, within about a minute. */
  private static final class KeepAliveConnector extends ServerConnector {
    private KeepAliveConnector(Server server, ConnectionFactory... factories) {
      super(server, 1, 1, factories);
    }

    @Override
    protected void configure(Socket socket) {
      super.configure(socket);
      try {
        socket.setKeepAlive(true);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 30);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, 10);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 3);
      } catch (IOException | UnsupportedOperationException e) {
        LOG.debug("no keep-alive", e); // closed already, or not this system's way
      }
    }
  }

  /** How many connections are open. */
  int connections() {
    return connector.getConnectedEndPoints().size();
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

  private void startJetty(int port) throws IOException {
    try {
      server.start();
    } catch (IOException e) {
      close();
      throw new IOException(
          "port " + port + " of 127.0.0.1 cannot be opened (choose another one or 0)", e);
    } catch (Exception e) { // Jetty declares no narrower one
      close();
      throw new IOException("HTTPS could not be started", e);
    }
  }
}
