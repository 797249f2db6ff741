package dev.regroup.server.https;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.server.AdminCredentials;
import dev.regroup.server.EchoTalk;
import dev.regroup.server.TestTls;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Exchange;
import dev.regroup.testing.MadeOnce;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A listener with small limits. Whoever shows a certificate or the token may ask: {@code /watch} is
 * a stream that says one line and is quiet then, {@code /echo} a conversation, everything else is
 * answered with the length of its body.
 */
final class SmallListener implements Exchange, AutoCloseable {

  static final String TOKEN = "a-good-token";

  /** Of somebody who is known and may do nothing. */
  static final String POWERLESS = "a-powerless-token";

  static final int BODY_LIMIT = 100_000;
  static final int BYTES = 400_000;
  static final Door.Limits CONNECTIONS = new Door.Limits(5, 1_000, 60);

  static final MadeOnce PKI =
      new MadeOnce(directory -> Pki.open(directory, InstantSource.system()));

  final AtomicInteger watches = new AtomicInteger();
  final EchoTalk echo = new EchoTalk();
  final BodyBudget budget = new BodyBudget(BYTES);
  final HttpsListener listener;
  private final Pki pki;

  SmallListener(Path directory) throws IOException {
    this(directory, CONNECTIONS);
  }

  SmallListener(Path directory, Door.Limits connections) throws IOException {
    this.pki = Pki.open(PKI.at(directory.resolve("pki")), InstantSource.system());
    var bodies = new RequestBody(BODY_LIMIT, budget);
    var loopback =
        new ListenerSettings.Place(
            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), List.of(pki.server()));
    this.listener =
        HttpsListener.start(
            new ListenerSettings(List.of(loopback), pki.authority(), BODY_LIMIT),
            this,
            bodies,
            connections);
  }

  SSLContext admin() throws Exception {
    return TestTls.of(
        new AdminCredentials(pki.caPem(), pki.adminCertificatePem(), pki.adminKeyPem()));
  }

  SSLContext stranger() throws Exception {
    return TestTls.ofStranger(pki.caPem());
  }

  /** A connection of HTTP/1.1, its handshake done. */
  SSLSocket connect(SSLContext tls) throws IOException {
    var socket = (SSLSocket) tls.getSocketFactory().createSocket("127.0.0.1", listener.port());
    socket.setSoTimeout(30_000);
    socket.startHandshake();
    return socket;
  }

  @Override
  public Entry enter(Credentials caller, Request head) {
    var refusal = refusal(caller);
    return refusal.isPresent()
        ? new Entry.Refused(refusal.get())
        : (Entry.Granted) request -> handle(caller, request);
  }

  private static Optional<Answer> refusal(Credentials caller) {
    if (caller.certificate().isPresent() || caller.bearerToken().equals(Optional.of(TOKEN))) {
      return Optional.empty();
    }
    boolean known = caller.bearerToken().map(POWERLESS::equals).orElse(true);
    return Optional.of(text(known ? 403 : 401, "no"));
  }

  @Override
  public Answer handle(Credentials caller, Request request) {
    var refusal = refusal(caller);
    if (refusal.isPresent()) {
      return refusal.get();
    }
    return switch (request.path()) {
      case "/watch" -> new Answer.Streamed(new QuietStream(), Answer.Framing.LINES);
      case "/echo" -> echo.answer();
      default -> text(200, String.valueOf(request.body().length));
    };
  }

  private static Answer text(int code, String text) {
    return new Answer.Whole(
        new Response(code, Headers.NONE, text.getBytes(StandardCharsets.US_ASCII)));
  }

  @Override
  public void close() {
    listener.close();
  }

  /** Counted from its first line until it is closed. */
  private final class QuietStream implements Transport.Stream {
    private final CountDownLatch closed = new CountDownLatch(1);
    private boolean first = true;

    @Override
    public int status() {
      return 200;
    }

    @Override
    public Headers headers() {
      return Headers.NONE;
    }

    @Override
    public byte @Nullable [] next() throws InterruptedException {
      if (first) {
        first = false;
        watches.incrementAndGet();
        return "{}".getBytes(StandardCharsets.US_ASCII);
      }
      closed.await();
      return null;
    }

    @Override
    public synchronized void close() {
      if (closed.getCount() > 0) {
        watches.decrementAndGet();
        closed.countDown();
      }
    }
  }
}
