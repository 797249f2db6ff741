package dev.regroup.node.probe;

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
import java.util.Locale;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * One HTTP request of a probe or hook (PRB-08): no proxy, no connection kept, certificates not
 * verified, redirects followed on the same host only.
 */
final class HttpCheck {

  private static final int MOST_REDIRECTS = 10;
  private static final int MOST_BODY = 10 * 1024;

  private final HTTPGetAction action;
  private final int timeout;
  private final URI uri;

  HttpCheck(ProbeTarget target, HTTPGetAction action, Duration timeout) {
    this.action = action;
    this.timeout = Math.toIntExact(timeout.toMillis());
    var host =
        action.getHost() == null || action.getHost().isEmpty()
            ? target.address()
            : action.getHost();
    var scheme = action.getScheme() == null ? "http" : action.getScheme().toLowerCase(Locale.ROOT);
    var path = action.getPath() == null || action.getPath().isEmpty() ? "/" : action.getPath();
    var slashed = path.startsWith("/") ? path : "/" + path;
    this.uri = URI.create(scheme + "://" + host + ":" + target.port(action.getPort()) + slashed);
  }

  ProbeVerdict run() {
    var at = uri;
    try {
      for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
        var connection = open(at);
        try {
          int code = connection.getResponseCode();
          var location = connection.getHeaderField("Location");
          if (code >= 300 && code < 400 && location != null) {
            var next = at.resolve(new URI(location));
            if (!String.valueOf(next.getHost()).equals(at.getHost())) {
              return new ProbeVerdict.Warning("Probe terminated redirects, Response body: ");
            }
            at = next;
            continue;
          }
          drain(connection);
          return code >= 200 && code < 400
              ? new ProbeVerdict.Success("")
              : new ProbeVerdict.Failure("HTTP probe failed with statuscode: " + code);
        } finally {
          connection.disconnect();
        }
      }
      return new ProbeVerdict.Failure("Get \"" + uri + "\": stopped after 10 redirects");
    } catch (IOException | URISyntaxException e) {
      return new ProbeVerdict.Failure("Get \"" + at + "\": " + reason(e));
    }
  }

  /** Any answer is good. */
  ProbeVerdict reach() {
    try {
      var connection = open(uri);
      try {
        connection.getResponseCode();
        return new ProbeVerdict.Success("");
      } finally {
        connection.disconnect();
      }
    } catch (IOException e) {
      return new ProbeVerdict.Failure("Get \"" + uri + "\": " + reason(e));
    }
  }

  private HttpURLConnection open(URI at) throws IOException {
    var connection = (HttpURLConnection) at.toURL().openConnection(Proxy.NO_PROXY);
    if (connection instanceof HttpsURLConnection secure) {
      secure.setSSLSocketFactory(unverified().getSocketFactory());
      secure.setHostnameVerifier((_, _) -> true);
    }
    connection.setInstanceFollowRedirects(false);
    connection.setConnectTimeout(timeout);
    connection.setReadTimeout(timeout);
    connection.setRequestProperty("User-Agent", "kube-probe/1.36");
    connection.setRequestProperty("Accept", "*/*");
    connection.setRequestProperty("Connection", "close");
    for (var header : action.getHttpHeaders()) {
      connection.setRequestProperty(header.getName(), header.getValue());
    }
    return connection;
  }

  private static void drain(HttpURLConnection connection) throws IOException {
    try (var body =
        connection.getResponseCode() < 400
            ? connection.getInputStream()
            : connection.getErrorStream()) {
      if (body != null) {
        body.readNBytes(MOST_BODY); // never shown: only so that the server sees a whole exchange
      }
    }
  }

  private static String reason(Exception e) {
    return switch (e) {
      case SocketTimeoutException _ -> "context deadline exceeded";
      case ConnectException _ -> "connect: connection refused";
      default -> String.valueOf(e.getMessage());
    };
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
