package dev.regroup.server.proxy;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Refused;
import dev.regroup.server.wire.Status;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Passes a request on to an address in plain HTTP and its answer back, piece by piece. Who asked is
 * not passed on: neither token nor certificate nor in whose name. Any thread.
 */
public final class HttpForwarder {

  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final int PIECE = 32 * 1024;

  /** Of the connection or of who asks, not of the request. */
  private static final Set<String> OWN =
      Set.of(
          "authorization",
          "connection",
          "content-length",
          "cookie",
          "expect",
          "host",
          "http2-settings",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  /**
   * Sends the request there.
   *
   * @param path encoded, begins with a slash
   */
  public Answer forward(Request request, InetSocketAddress to, String path)
      throws Refused, InterruptedException {
    refuseOurOwn(to.getAddress());
    var query = request.query().isEmpty() ? "" : "?" + request.query();
    var host = to.getAddress().getHostAddress() + ":" + to.getPort();
    var client = client();
    boolean passed = false;
    try {
      var asked =
          HttpRequest.newBuilder(URI.create("http://" + host + path + query))
              .method(request.method(), HttpRequest.BodyPublishers.ofByteArray(request.body()));
      request
          .headers()
          .fields()
          .forEach((name, values) -> {
            if (!isOwn(name)) {
              values.forEach(value -> asked.header(name, value));
            }
          });
      var response = client.send(asked.build(), HttpResponse.BodyHandlers.ofInputStream());
      passed = true;
      return new Answer.Streamed(new Passed(client, response), Answer.Framing.BYTES);
    } catch (IllegalArgumentException e) {
      throw Refused.badRequest("cannot be passed on: " + e.getMessage());
    } catch (IOException e) {
      var why = e.getMessage() == null ? "connect: connection refused" : e.getMessage();
      throw new Refused(
          Status.unavailable("error trying to reach service: dial tcp " + host + ": " + why));
    } finally {
      if (!passed) {
        client.shutdownNow();
      }
    }
  }

  /** One for each request, which ends with it: they are rare, and it has a thread of its own. */
  private static HttpClient client() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(CONNECT)
        .executor(command -> Thread.ofVirtual().name("proxy").start(command))
        .build();
  }

  private static boolean isOwn(String name) {
    var small = name.toLowerCase(Locale.ROOT);
    return OWN.contains(small) || small.startsWith("impersonate-") || small.startsWith(":");
  }

  /** An address that somebody wrote into a status must not lead back to this machine's inside. */
  private static void refuseOurOwn(InetAddress address) throws Refused {
    if (address.isLoopbackAddress()
        || address.isLinkLocalAddress()
        || address.isMulticastAddress()
        || address.isAnyLocalAddress()) {
      throw Refused.badRequest("address not allowed");
    }
  }

  /** An answer on its way back. */
  private static final class Passed implements Transport.Stream {
    private final HttpClient client;
    private final HttpResponse<InputStream> response;

    Passed(HttpClient client, HttpResponse<InputStream> response) {
      this.client = client;
      this.response = response;
    }

    @Override
    public int status() {
      return response.statusCode();
    }

    @Override
    public Headers headers() {
      var kept = Headers.NONE;
      for (var field : response.headers().map().entrySet()) {
        if (!isOwn(field.getKey())) {
          for (var value : field.getValue()) {
            kept = kept.and(field.getKey(), value);
          }
        }
      }
      return kept;
    }

    @Override
    public byte @Nullable [] next() throws Transport.Unreachable {
      byte[] piece = new byte[PIECE];
      try {
        int count = response.body().read(piece);
        return count < 0 ? null : Arrays.copyOf(piece, count);
      } catch (IOException e) {
        throw new Transport.Unreachable("the answer broke off", e);
      }
    }

    @Override
    public void close() {
      try {
        response.body().close();
      } catch (IOException e) {
        return; // nobody wants the rest
      } finally {
        client.shutdownNow();
      }
    }
  }
}
