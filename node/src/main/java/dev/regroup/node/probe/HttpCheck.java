package dev.regroup.node.probe;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.HTTPGetAction;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * One HTTP request of a probe or hook (PRB-08): no proxy, no connection kept, certificates not
 * verified, redirects followed on the same host only. Its time is for all of it: a server that
 * answers a byte now and then does not answer.
 */
final class HttpCheck {

  private static final int MOST_REDIRECTS = 10;
  private static final int MOST_BODY = 10 * 1024;

  /** What the request itself decides, whatever a manifest says. */
  private static final Set<String> NOT_ITS_OWN =
      Set.of("content-length", "trailer", "transfer-encoding");

  /** What RFC 3986 lets stand in a path or query; the rest is sent as its bytes' numbers. */
  private static final String STANDS = "-._~!$&'()*+,;=:@/?";

  private static final Pattern LONE_PERCENT = Pattern.compile("%(?![0-9A-Fa-f]{2})");

  static {
    // Before the first connection: a manifest may name the host it asks for. Nobody else here uses
    // this kind of connection.
    System.setProperty("sun.net.http.allowRestrictedHeaders", "true");
  }

  private final HTTPGetAction action;
  private final Duration timeout;
  private final URI uri;

  HttpCheck(ProbeTarget target, HTTPGetAction action, Duration timeout)
      throws ProbeTarget.UnknownPort {
    this.action = action;
    this.timeout = timeout;
    var host =
        action.getHost() == null || action.getHost().isEmpty()
            ? target.address()
            : action.getHost();
    var scheme = action.getScheme() == null ? "http" : action.getScheme().toLowerCase(Locale.ROOT);
    var path = action.getPath() == null || action.getPath().isEmpty() ? "/" : action.getPath();
    var slashed = path.startsWith("/") ? path : "/" + path;
    var named = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
    this.uri =
        URI.create(scheme + "://" + named + ":" + target.port(action.getPort()) + encoded(slashed));
  }

  /** Judges the answer. */
  ProbeVerdict run() throws InterruptedException {
    return inTime(this::judge);
  }

  /** Any answer is good. */
  ProbeVerdict reach() throws InterruptedException {
    return inTime(this::ask);
  }

  /** On a thread of its own: interrupting that closes the connection, wherever it waits. */
  private ProbeVerdict inTime(Callable<ProbeVerdict> request) throws InterruptedException {
    var task = new FutureTask<>(request);
    var thread = Thread.ofVirtual().name(Thread.currentThread().getName() + "-request").start(task);
    try {
      return task.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return failure(uri, new SocketTimeoutException());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IllegalArgumentException unusable) {
        throw unusable;
      }
      throw new IllegalStateException("a request broke", e.getCause());
    } finally {
      thread.interrupt();
      thread.join();
    }
  }

  private static String encoded(String text) {
    var encoded = new StringBuilder();
    for (byte each : text.getBytes(UTF_8)) {
      char c = (char) (each & 0xff);
      if (c < 0x80 && (Character.isLetterOrDigit(c) || STANDS.indexOf(c) >= 0 || c == '%')) {
        encoded.append(c);
      } else {
        encoded.append("%%%02X".formatted((int) c));
      }
    }
    return LONE_PERCENT.matcher(encoded).replaceAll("%25");
  }

  private ProbeVerdict judge() {
    var at = uri;
    try {
      for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
        var connection = open(at);
        try {
          int code = connection.getResponseCode();
          var location = connection.getHeaderField("Location");
          if (code >= 300 && code < 400 && location != null) {
            var next = at.resolve(new URI(location));
            if (String.valueOf(next.getHost()).equals(at.getHost())) {
              at = next;
              continue;
            }
          }
          return verdict(code, body(connection));
        } finally {
          connection.disconnect();
        }
      }
      return new ProbeVerdict.Failure("Get \"" + uri + "\": stopped after 10 redirects");
    } catch (IOException | URISyntaxException e) {
      return failure(at, e);
    }
  }

  /** What an answer says of itself is only shown where nobody follows it further. */
  private static ProbeVerdict verdict(int code, String body) {
    if (code >= 300 && code < 400) {
      return new ProbeVerdict.Warning("Probe terminated redirects, Response body: " + body);
    }
    return code >= 200 && code < 300
        ? new ProbeVerdict.Success("")
        : new ProbeVerdict.Failure("HTTP probe failed with statuscode: " + code);
  }

  private ProbeVerdict ask() {
    try {
      var connection = open(uri);
      try {
        connection.getResponseCode();
        return new ProbeVerdict.Success("");
      } finally {
        connection.disconnect();
      }
    } catch (IOException e) {
      return failure(uri, e);
    }
  }

  private static ProbeVerdict failure(URI at, Exception e) {
    return new ProbeVerdict.Failure("Get \"" + at + "\": " + reason(at, e));
  }

  private HttpURLConnection open(URI at) throws IOException {
    var connection = (HttpURLConnection) at.toURL().openConnection(Proxy.NO_PROXY);
    if (connection instanceof HttpsURLConnection secure) {
      secure.setSSLSocketFactory(unverified().getSocketFactory());
      secure.setHostnameVerifier((_, _) -> true);
    }
    connection.setInstanceFollowRedirects(false);
    connection.setRequestProperty("User-Agent", "kube-probe/1.36");
    connection.setRequestProperty("Accept", "*/*");
    connection.setRequestProperty("Connection", "close");
    var seen = new HashSet<String>();
    for (var header : action.getHttpHeaders()) {
      String name = header.getName().toLowerCase(Locale.ROOT);
      if (NOT_ITS_OWN.contains(name)) {
        continue;
      }
      if (seen.add(name)) {
        connection.setRequestProperty(header.getName(), header.getValue());
      } else {
        connection.addRequestProperty(header.getName(), header.getValue());
      }
    }
    return connection;
  }

  private static String body(HttpURLConnection connection) throws IOException {
    try (var body =
        connection.getResponseCode() < 400
            ? connection.getInputStream()
            : connection.getErrorStream()) {
      return body == null ? "" : new String(body.readNBytes(MOST_BODY), UTF_8);
    }
  }

  private static String reason(URI at, Exception e) {
    return switch (e) {
      case SocketTimeoutException _ ->
          "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
      case ConnectException _ ->
          "dial tcp %s:%d: connect: connection refused".formatted(at.getHost(), port(at));
      default -> String.valueOf(e.getMessage());
    };
  }

  private static int port(URI at) {
    if (at.getPort() >= 0) {
      return at.getPort();
    }
    return "https".equals(at.getScheme()) ? 443 : 80;
  }

  private static SSLContext unverified() throws IOException {
    try {
      var context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new TrustAll()}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("no TLS in this program", e);
    }
  }

  /** A probe asks whether the pod answers, not who it is (PRB-08). */
  private static final class TrustAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
