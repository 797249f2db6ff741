package dev.regroup.server.https;

import dev.regroup.server.wire.Exchange;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import jdk.net.ExtendedSocketOptions;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
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
 * Serves HTTP/1.1 and HTTP/2 over TLS at one or more addresses. Each request runs on a virtual
 * thread of its own, which blocks as it likes; a stream keeps its thread until it ends. {@link
 * #close} stops listening and ends what is under way.
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
  private final List<ServerConnector> connectors;
  private final List<SslContextFactory.Server> shown;
  private final HttpRequests requests;

  private HttpsListener(
      Server server,
      List<ServerConnector> connectors,
      List<SslContextFactory.Server> shown,
      HttpRequests requests) {
    this.server = server;
    this.connectors = List.copyOf(connectors);
    this.shown = List.copyOf(shown);
    this.requests = requests;
  }

  /** Opens the ports; requests are answered when this returns. */
  public static HttpsListener start(ListenerSettings settings, Exchange exchange)
      throws IOException {
    var budget = BodyBudget.ofHeap(Runtime.getRuntime().maxMemory());
    var bodies = new RequestBody(settings.bodyLimit(), budget);
    return start(settings, exchange, bodies, Door.Limits.STANDARD);
  }

  static HttpsListener start(
      ListenerSettings settings, Exchange exchange, RequestBody bodies, Door.Limits limits)
      throws IOException {
    var pool = new VirtualThreadPool(0); // 0: no limit; the default of 200 would hang watch 201
    pool.setName("https");
    var server = new Server(pool, null, buffers());
    var cancels = new CancelControl(STREAMS_PER_CONNECTION);
    var connectors = new ArrayList<ServerConnector>();
    var shown = new ArrayList<SslContextFactory.Server>();
    for (var place : settings.places()) {
      var tls = settings.tls(place);
      shown.add(tls);
      var connector = connector(server, tls, cancels);
      connector.setHost(place.address().getAddress().getHostAddress());
      connector.setPort(place.address().getPort());
      connector.addBean(new Door(limits, connector.getScheduler()));
      server.addConnector(connector);
      connectors.add(connector);
    }
    var requests = new HttpRequests(exchange, bodies, cancels);
    server.setHandler(requests);
    server.setStopTimeout(STOP.toMillis());
    var listener = new HttpsListener(server, connectors, shown, requests);
    listener.startJetty();
    return listener;
  }

  private static ServerConnector connector(
      Server server, SslContextFactory.Server tls, CancelControl cancels) {
    var http = new HttpConfiguration();
    http.addCustomizer(new SecureRequestCustomizer(false));
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HEADER_LIMIT);
    http.setUriCompliance(UriCompliance.UNSAFE); // paths are split here, not by Jetty
    http.setHttpCompliance(HttpCompliance.STRICT); // a bare line feed ends no line
    var h2 = new HTTP2ServerConnectionFactory(http);
    h2.setMaxConcurrentStreams(STREAMS_PER_CONNECTION);
    h2.setInitialStreamRecvWindow(STREAM_WINDOW);
    h2.setInitialSessionRecvWindow(SESSION_WINDOW);
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
    connector.setIdleTimeout(IDLE.toMillis());
    connector.addBean(cancels, false); // one for all connectors
    return connector;
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

  /** Shows this certificate at all addresses from now on; connections stay as they are. */
  public void show(ServingCertificate certificate) throws IOException {
    var keys = ListenerSettings.keys(List.of(certificate));
    for (var tls : shown) {
      try {
        tls.reload(factory -> factory.setKeyStore(keys));
      } catch (Exception e) { // Jetty declares no narrower one
        throw new IOException("the new certificate cannot be used", e);
      }
    }
  }

  /** How many connections are open. */
  int connections() {
    return connectors.stream().mapToInt(one -> one.getConnectedEndPoints().size()).sum();
  }

  /** Of the first address. */
  public int port() {
    return ports().getFirst();
  }

  /** One for each address, in their order. */
  List<Integer> ports() {
    return connectors.stream().map(ServerConnector::getLocalPort).toList();
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

  private void startJetty() throws IOException {
    try {
      server.start();
    } catch (IOException e) {
      close();
      throw new IOException(wanted() + " cannot be opened (choose another one or 0)", e);
    } catch (Exception e) { // Jetty declares no narrower one
      close();
      throw new IOException("HTTPS could not be started", e);
    }
  }

  private String wanted() {
    return connectors.stream()
        .map(one -> "port " + one.getPort() + " of " + one.getHost())
        .collect(Collectors.joining(" or "));
  }
}
