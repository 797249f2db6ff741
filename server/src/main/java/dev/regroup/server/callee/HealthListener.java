package dev.regroup.server.callee;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pages that say whether a program is well, over plain HTTP because kubelets ask so: {@code 200 ok}
 * or {@code 500} with what is missing. They tell nothing else.
 */
public final class HealthListener implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HealthListener.class);

  private final Server server;
  private final ServerConnector connector;

  private HealthListener(Server server, ServerConnector connector) {
    this.server = server;
    this.connector = connector;
  }

  /**
   * Opens the port.
   *
   * @param pages by path: what is missing, or nothing
   */
  public static HealthListener start(
      InetSocketAddress address, Map<String, Supplier<Optional<String>>> pages) throws IOException {
    var pool = new VirtualThreadPool(0);
    pool.setName("health");
    var server = new Server(pool);
    var http = new HttpConfiguration();
    http.setSendServerVersion(false);
    var connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    connector.setHost(address.getAddress().getHostAddress());
    connector.setPort(address.getPort());
    server.addConnector(connector);
    server.setHandler(new Pages(Map.copyOf(pages)));
    var listener = new HealthListener(server, connector);
    try {
      server.start();
      return listener;
    } catch (Exception e) { // Jetty declares no narrower one
      listener.close();
      throw new IOException(
          "port %d of %s cannot be opened".formatted(address.getPort(), address.getHostString()),
          e);
    }
  }

  public int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) { // Jetty declares no narrower one
      LOG.warn("The listener did not stop cleanly", e);
    }
  }

  private static final class Pages extends Handler.Abstract {
    private final Map<String, Supplier<Optional<String>>> pages;

    Pages(Map<String, Supplier<Optional<String>>> pages) {
      this.pages = pages;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      var page = pages.get(request.getHttpURI().getPath());
      if (page == null) {
        write(response, callback, 404, "not found");
        return true;
      }
      var missing = page.get();
      write(response, callback, missing.isEmpty() ? 200 : 500, missing.orElse("ok"));
      return true;
    }

    private static void write(Response response, Callback callback, int code, String text) {
      response.setStatus(code);
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain; charset=utf-8");
      response.write(true, ByteBuffer.wrap((text + "\n").getBytes(UTF_8)), callback);
    }
  }
}
