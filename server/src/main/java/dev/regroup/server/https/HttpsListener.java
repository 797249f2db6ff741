package dev.regroup.server.https;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
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
  private static final long DISCARDED = 64L * 1024 * 1024;
  private static final Duration IDLE = Duration.ofMinutes(3);
  private static final Duration STOP = Duration.ofSeconds(2);

  /** What a connection proved about its client. */
  public record Caller(Optional<PeerCertificate> certificate, Optional<String> bearerToken) {}

  /** Answers requests. */
  public interface Front {
    Answer answer(Caller caller, Request request) throws InterruptedException;
  }

  private final Server server;
  private final ServerConnector connector;
  private final Requests requests;

  private HttpsListener(Server server, ServerConnector connector, Requests requests) {
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
  public static HttpsListener start(int port, Pki pki, int bodyLimit, Front front)
      throws IOException {
    var pool = new VirtualThreadPool(0); // 0: no limit; the default of 200 would hang watch 201
    pool.setName("https");
    var server = new Server(pool);
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
    var h2 = new HTTP2ServerConnectionFactory(http);
    h2.setMaxConcurrentStreams(STREAMS_PER_CONNECTION);
    var alpn = new ALPNServerConnectionFactory();
    alpn.setDefaultProtocol("http/1.1");
    var connector =
        new ServerConnector(
            server,
            1,
            1,
            new SslConnectionFactory(tls, alpn.getProtocol()),
            alpn,
            h2,
            new HttpConnectionFactory(http));
    connector.setHost("127.0.0.1");
    connector.setPort(port);
    connector.setIdleTimeout(IDLE.toMillis());
    server.addConnector(connector);
    var requests = new Requests(front, bodyLimit);
    server.setHandler(requests);
    server.setStopTimeout(STOP.toMillis());
    var listener = new HttpsListener(server, connector, requests);
    listener.startJetty(port);
    return listener;
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

  /** Translates between Jetty and the exchange. */
  private static final class Requests extends Handler.Abstract {
    private final Front front;
    private final int bodyLimit;
    private final Set<Transport.Stream> streams = ConcurrentHashMap.newKeySet();
    private volatile boolean ending;

    Requests(Front front, int bodyLimit) {
      this.front = front;
      this.bodyLimit = bodyLimit;
    }

    @Override
    public boolean handle(
        org.eclipse.jetty.server.Request request,
        org.eclipse.jetty.server.Response response,
        Callback callback) {
      try {
        respond(request, response);
        callback.succeeded();
      } catch (IOException e) {
        callback.failed(e); // the client has gone
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the server stops
        callback.failed(e);
      }
      return true;
    }

    private void respond(
        org.eclipse.jetty.server.Request request, org.eclipse.jetty.server.Response response)
        throws IOException, InterruptedException {
      var in = Content.Source.asInputStream(request);
      byte[] body = in.readNBytes(bodyLimit + 1);
      if (body.length > bodyLimit) {
        in.skip(DISCARDED); // many clients read no answer before they have sent everything
        write(
            response,
            new Response(
                413,
                Headers.of("content-type", "application/json"),
                Status.tooLarge(bodyLimit).toBytes()));
        return;
      }
      switch (front.answer(caller(request), translate(request, body))) {
        case Answer.Whole(Response whole) -> write(response, whole);
        case Answer.Streamed(Transport.Stream stream, Answer.Framing framing) ->
            pump(request, response, stream, framing);
      }
    }

    private static Request translate(org.eclipse.jetty.server.Request request, byte[] body) {
      Map<String, List<String>> fields = new HashMap<>();
      for (var field : request.getHeaders()) {
        fields
            .computeIfAbsent(field.getName().toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
            .add(field.getValue() == null ? "" : field.getValue());
      }
      var uri = request.getHttpURI();
      var query = uri.getQuery();
      var path = uri.getPath();
      return new Request(
          request.getMethod(),
          path == null || !path.startsWith("/") ? "/" : path,
          query == null ? "" : query,
          new Headers(fields),
          body);
    }

    private static Caller caller(org.eclipse.jetty.server.Request request) {
      Optional<PeerCertificate> certificate = Optional.empty();
      if (request.getAttribute(EndPoint.SslSessionData.ATTRIBUTE)
              instanceof EndPoint.SslSessionData session
          && session.peerCertificates() != null
          && session.peerCertificates().length > 0) {
        certificate = PeerCertificate.of(session.peerCertificates()[0]);
      }
      var authorization = request.getHeaders().get(HttpHeader.AUTHORIZATION);
      Optional<String> token =
          authorization != null && authorization.regionMatches(true, 0, "Bearer ", 0, 7)
              ? Optional.of(authorization.substring(7).strip())
              : Optional.empty();
      return new Caller(certificate, token);
    }

    private static void write(org.eclipse.jetty.server.Response response, Response whole)
        throws IOException {
      fillHeaders(response, whole.status(), whole.headers());
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, whole.body().length);
      Content.Sink.write(response, true, ByteBuffer.wrap(whole.body()));
    }

    /** Sends frames as they come; a client that leaves wakes the wait for the next one. */
    private void pump(
        org.eclipse.jetty.server.Request request,
        org.eclipse.jetty.server.Response response,
        Transport.Stream stream,
        Answer.Framing framing)
        throws IOException, InterruptedException {
      streams.add(stream);
      if (ending) {
        stream.close();
      }
      try (stream) {
        request.addIdleTimeoutListener(_ -> false); // a quiet stream is no dead one
        request.addFailureListener(_ -> stream.close());
        fillHeaders(response, stream.status(), stream.headers());
        Content.Sink.write(response, false, ByteBuffer.allocate(0));
        byte[] frame;
        while ((frame = stream.next()) != null) {
          Content.Sink.write(response, false, framed(frame, framing));
        }
        Content.Sink.write(response, true, ByteBuffer.allocate(0));
      } finally {
        streams.remove(stream);
      }
    }

    /** Streams would go on for ever; the server may stop only after they have ended. */
    void endStreams() {
      ending = true;
      streams.forEach(Transport.Stream::close);
    }

    private static ByteBuffer framed(byte[] frame, Answer.Framing framing) {
      if (framing == Answer.Framing.BYTES) {
        return ByteBuffer.wrap(frame);
      }
      var line = java.util.Arrays.copyOf(frame, frame.length + 1);
      line[frame.length] = '\n';
      return ByteBuffer.wrap(line);
    }

    private static void fillHeaders(
        org.eclipse.jetty.server.Response response, int status, Headers headers) {
      response.setStatus(status);
      headers
          .fields()
          .forEach(
              (name, values) -> values.forEach(value -> response.getHeaders().add(name, value)));
      response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-cache, private");
    }
  }
}
