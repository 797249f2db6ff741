package dev.regroup.server.https;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.access.PeerCertificate;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Exchange;
import dev.regroup.server.wire.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Translates between Jetty and the exchange: first who asks and what, then, if they may, the body,
 * then the answer, whole, frame by frame or as a talk.
 */
final class HttpRequests extends Handler.Abstract {
  private static final byte[] NO_BODY = {};
  private static final String PEER = "regroup.peer";
  private static final int WRITTEN_AT_ONCE = 64 << 10; // 64 KiB

  private final Exchange exchange;
  private final RequestBody bodies;
  private final CancelControl cancels;
  private final Set<Transport.Stream> streams = ConcurrentHashMap.newKeySet();
  private final Set<UpgradedConnection> talks = ConcurrentHashMap.newKeySet();
  private volatile boolean ending;

  HttpRequests(Exchange exchange, RequestBody bodies, CancelControl cancels) {
    this.exchange = exchange;
    this.bodies = bodies;
    this.cancels = cancels;
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
    var caller = caller(request);
    var head = translate(request);
    if (request.getLength() == 0) {
      var answer = exchange.handle(caller, head);
      var _ = introduce(request, caller, answer);
      send(request, response, answer);
      return;
    }
    switch (exchange.enter(caller, head)) {
      case Exchange.Entry.Refused(Answer refusal) -> refuse(request, response, caller, refusal);
      case Exchange.Entry.Granted granted -> {
        var answer = answer(request, caller, head, granted);
        var _ = introduce(request, caller, answer);
        send(request, response, answer);
      }
    }
  }

  private void refuse(
      org.eclipse.jetty.server.Request request,
      org.eclipse.jetty.server.Response response,
      Credentials caller,
      Answer refusal)
      throws IOException, InterruptedException {
    boolean known = introduce(request, caller, refusal);
    if (known) {
      bodies.discard(request);
    }
    send(request, response, refusal);
    if (!known) {
      bodies.discardLittle(request);
    }
  }

  /** A token that is not refused makes a stranger known; returns whether the caller is. */
  private static boolean introduce(
      org.eclipse.jetty.server.Request request, Credentials caller, Answer answer) {
    if (caller.certificate().isPresent()) {
      return true;
    }
    boolean refused = answer instanceof Answer.Whole(Response whole) && whole.status() == 401;
    if (caller.bearerToken().isEmpty() || refused) {
      return false;
    }
    var connection = request.getConnectionMetaData();
    Door.known(connection.getConnection(), connection.getConnector());
    return true;
  }

  /** The body's share of memory is given back before a stream begins. */
  private Answer answer(
      org.eclipse.jetty.server.Request request,
      Credentials caller,
      Request head,
      Exchange.Entry.Granted granted)
      throws IOException, InterruptedException {
    var user = caller.certificate().map(PeerCertificate::user).orElse("");
    try (var share = bodies.share(user)) {
      return switch (bodies.read(request, share)) {
        case RequestBody.Got.Whole(byte[] body) -> granted.handle(with(head, body));
        case RequestBody.Got.Refused(Status status) -> new Answer.Whole(refused(status));
      };
    }
  }

  /** To read, nobody needs a body, and a watch would keep it. */
  private static Request with(Request head, byte[] body) {
    boolean reads = head.method().equals("GET") || head.method().equals("HEAD");
    return reads
        ? head
        : new Request(head.method(), head.path(), head.query(), head.headers(), body);
  }

  private void send(
      org.eclipse.jetty.server.Request request,
      org.eclipse.jetty.server.Response response,
      Answer answer)
      throws IOException, InterruptedException {
    switch (answer) {
      case Answer.Whole(Response whole) -> write(request, response, whole);
      case Answer.Streamed(Transport.Stream stream, _) -> pump(request, response, stream);
      case Answer.Upgraded upgraded -> upgrade(request, response, upgraded);
    }
  }

  /** Jetty hands the connection over when this answer is complete. */
  private void upgrade(
      org.eclipse.jetty.server.Request request,
      org.eclipse.jetty.server.Response response,
      Answer.Upgraded upgraded)
      throws IOException, InterruptedException {
    var connection = request.getConnectionMetaData();
    if (connection.getHttpVersion() != HttpVersion.HTTP_1_1) {
      write(request, response, refused(Status.badRequest("an upgrade needs HTTP/1.1")));
      return;
    }
    fillHeaders(response, 101, upgraded.headers());
    response.getHeaders().put(HttpHeader.CONNECTION, "Upgrade");
    response.getHeaders().put(HttpHeader.UPGRADE, upgraded.protocol());
    var talk =
        new UpgradedConnection(
            connection.getConnection().getEndPoint(),
            request.getContext(),
            upgraded.talk(),
            talks::remove);
    talks.add(talk);
    if (ending) {
      talk.end(); // perhaps added after the others were ended
    }
    request.addFailureListener(_ -> talks.remove(talk)); // never handed over
    request.setAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, talk);
  }

  private static Response refused(Status status) {
    var headers = Headers.of("content-type", "application/json");
    return new Response(
        status.code(),
        Status.isTransient(status.code())
            ? headers.and("retry-after", String.valueOf(Status.RETRY_SECONDS))
            : headers,
        status.toBytes());
  }

  private static Request translate(org.eclipse.jetty.server.Request request) {
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
        NO_BODY);
  }

  private static Credentials caller(org.eclipse.jetty.server.Request request) {
    Optional<PeerCertificate> certificate =
        request.getAttribute(EndPoint.SslSessionData.ATTRIBUTE)
                instanceof EndPoint.SslSessionData session
            ? certificate(session)
            : Optional.empty();
    var authorization = request.getHeaders().get(HttpHeader.AUTHORIZATION);
    Optional<String> token =
        authorization != null && authorization.regionMatches(true, 0, "Bearer ", 0, 7)
            ? Optional.of(authorization.substring(7).strip())
            : Optional.empty();
    return Credentials.remote(certificate, token);
  }

  /** A name is read once for all requests of a session. */
  private static Optional<PeerCertificate> certificate(EndPoint.SslSessionData session) {
    var certificates = session.peerCertificates();
    if (certificates == null || certificates.length == 0) {
      return Optional.empty();
    }
    var values = session.sslSession();
    if (values != null && values.getValue(PEER) instanceof PeerCertificate known) {
      return Optional.of(known);
    }
    var read = PeerCertificate.of(certificates[0]);
    if (values != null) {
      read.ifPresent(name -> values.putValue(PEER, name));
    }
    return read;
  }

  private static void write(
      org.eclipse.jetty.server.Request request,
      org.eclipse.jetty.server.Response response,
      Response whole)
      throws IOException {
    fillHeaders(response, whole.status(), whole.headers());
    if (Gzip.suits(request.getHeaders().get(HttpHeader.ACCEPT_ENCODING), whole)) {
      response.getHeaders().put(HttpHeader.CONTENT_ENCODING, "gzip");
      response.getHeaders().add(HttpHeader.VARY, "Accept-Encoding");
      Gzip.write(whole.body(), Content.Sink.asOutputStream(response));
      return;
    }
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, whole.body().length);
    Content.Sink.write(response, true, ByteBuffer.wrap(whole.body()));
  }

  /** Sends frames as they come; a client that leaves wakes the wait for the next one. */
  private void pump(
      org.eclipse.jetty.server.Request request,
      org.eclipse.jetty.server.Response response,
      Transport.Stream stream)
      throws IOException, InterruptedException {
    streams.add(stream);
    if (ending) {
      stream.close();
    }
    try (stream) {
      request.addIdleTimeoutListener(_ -> false); // a quiet stream is no dead one
      request.addFailureListener(_ -> stream.close());
      fillHeaders(response, stream.status(), stream.headers());
      var endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
      boolean shared = request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2;
      if (shared) {
        cancels.answering(endPoint);
      } else {
        response.getHeaders().put(HttpHeader.CONNECTION, "close");
      }
      Content.Sink.write(response, false, together(stream, stream.poll()));
      if (!shared) {
        PeerWatch.start(endPoint, stream::close);
      }
      byte[] frame;
      while ((frame = stream.next()) != null) {
        Content.Sink.write(response, false, together(stream, frame));
      }
      Content.Sink.write(response, true, ByteBuffer.allocate(0));
    } finally {
      streams.remove(stream);
    }
  }

  /** Streams would go on for ever; the server may stop only after they have ended. */
  void endStreams() throws InterruptedException {
    ending = true;
    streams.forEach(Transport.Stream::close);
    for (var talk : talks) {
      talk.end();
    }
  }

  /** What is there already goes along: one write, one record, one system call. */
  private static ByteBuffer together(Transport.Stream stream, byte @Nullable [] first)
      throws InterruptedException {
    if (first == null) {
      return ByteBuffer.allocate(0);
    }
    var next = stream.poll();
    if (next == null) {
      return ByteBuffer.wrap(first);
    }
    var all = new ByteArrayOutputStream(first.length + next.length);
    all.writeBytes(first);
    while (next != null) {
      all.writeBytes(next);
      next = all.size() < WRITTEN_AT_ONCE ? stream.poll() : null;
    }
    return ByteBuffer.wrap(all.toByteArray());
  }

  /** Jetty writes one byte for each character; others than these go as UTF-8. */
  private static String wire(String value) {
    return value.chars().allMatch(c -> c < 0x80)
        ? value
        : new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  private static void fillHeaders(
      org.eclipse.jetty.server.Response response, int status, Headers headers) {
    response.setStatus(status);
    headers
        .fields()
        .forEach((name, values) ->
            values.forEach(value -> response.getHeaders().add(name, wire(value))));
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-cache, private");
  }
}
