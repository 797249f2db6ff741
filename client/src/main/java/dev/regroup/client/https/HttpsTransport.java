package dev.regroup.client.https;

import dev.regroup.client.ByteFrames;
import dev.regroup.client.Frames;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;

/**
 * Carries exchanges over HTTP, with TLS or without, to any Kubernetes API server. The identity is
 * the client certificate in the TLS context or a bearer token, asked for anew with every request
 * because tokens are replaced while the program runs.
 */
public final class HttpsTransport implements Transport, AutoCloseable {

  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration ANSWER = Duration.ofSeconds(60); // to the first byte
  private static final Pattern WATCH = Pattern.compile("(^|&)watch=(true|1)(&|$)");

  /** Set by the HTTP client itself, and refused from others. */
  private static final Set<String> RESERVED =
      Set.of("connection", "content-length", "expect", "host", "upgrade");

  private final String base;
  private final HttpClient client;
  private final Supplier<Optional<String>> bearerToken;

  public HttpsTransport(URI base, SSLContext tls, Supplier<Optional<String>> bearerToken) {
    this(base, tls, bearerToken, HttpClient.Version.HTTP_2);
  }

  /**
   * @param base scheme, host and port, and a path when the API is below one
   * @param version HTTP/2 shares one connection and is limited by the server's number of streams;
   *     HTTP/1.1 opens a connection for each watch
   */
  public HttpsTransport(
      URI base,
      SSLContext tls,
      Supplier<Optional<String>> bearerToken,
      HttpClient.Version version) {
    this.base = base.toString().replaceAll("/+$", "");
    this.bearerToken = Objects.requireNonNull(bearerToken, "bearerToken");
    this.client =
        HttpClient.newBuilder()
            .sslContext(tls)
            .version(version)
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .executor(
                Executors.newThreadPerTaskExecutor(
                    Thread.ofVirtual().name("api-http-", 0).factory()))
            .build();
  }

  @Override
  public Response send(Request request) throws Unreachable, InterruptedException {
    var answer = exchange(request, BodyHandlers.ofByteArray());
    return new Response(answer.statusCode(), headers(answer), answer.body());
  }

  @Override
  public Stream open(Request request) throws Unreachable, InterruptedException {
    var answer = exchange(request, BodyHandlers.ofInputStream());
    boolean events = answer.statusCode() == 200 && WATCH.matcher(request.query()).find();
    var frames = events ? new LineFrames(answer.body()) : new ByteFrames(answer.body());
    return new BodyStream(answer.statusCode(), headers(answer), answer.body(), frames);
  }

  /**
   * Begins a talk over a WebSocket.
   *
   * @param target path and query
   * @param protocol what is spoken in it, such as {@code v5.channel.k8s.io}
   */
  public CompletableFuture<WebSocket> webSocket(
      String target, String protocol, WebSocket.Listener listener) {
    var builder = client.newWebSocketBuilder().connectTimeout(CONNECT).subprotocols(protocol);
    bearerToken.get().ifPresent(token -> builder.header("authorization", "Bearer " + token));
    return builder.buildAsync(URI.create(base.replaceFirst("^http", "ws") + target), listener);
  }

  /** Ends all exchanges and connections. */
  @Override
  public void close() {
    client.shutdownNow();
    client.close();
  }

  private <T> HttpResponse<T> exchange(Request request, HttpResponse.BodyHandler<T> handler)
      throws Unreachable, InterruptedException {
    try {
      return client.send(outgoing(request), handler);
    } catch (IOException e) {
      var message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      throw new Unreachable(
          "%s %s%s: %s".formatted(request.method(), base, request.path(), message), e);
    }
  }

  private HttpRequest outgoing(Request request) {
    var query = request.query().isEmpty() ? "" : "?" + request.query();
    var body =
        request.body().length == 0
            ? BodyPublishers.noBody()
            : BodyPublishers.ofByteArray(request.body());
    var outgoing =
        HttpRequest.newBuilder(URI.create(base + request.path() + query))
            .timeout(ANSWER)
            .method(request.method(), body);
    request
        .headers()
        .fields()
        .forEach((name, values) -> {
          if (!RESERVED.contains(name)) {
            values.forEach(value -> outgoing.header(name, value));
          }
        });
    bearerToken.get().ifPresent(token -> outgoing.header("authorization", "Bearer " + token));
    return outgoing.build();
  }

  private static Headers headers(HttpResponse<?> answer) {
    return new Headers(answer.headers().map());
  }

  private record BodyStream(int status, Headers headers, InputStream body, Frames frames)
      implements Stream {

    @Override
    public byte @org.jspecify.annotations.Nullable [] next()
        throws Unreachable, InterruptedException {
      try {
        return frames.next();
      } catch (IOException e) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        throw new Unreachable("stream broke off: " + e.getMessage(), e);
      }
    }

    @Override
    public void close() {
      try {
        body.close();
      } catch (IOException e) {
        // the stream is over either way, and nobody waits for more of it
      }
    }
  }
}
