package dev.regroup.server;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.access.Identity;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Duplex;
import dev.regroup.server.wire.Exchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries exchanges by calling them: same bytes, same identity checks, no socket. */
final class InProcessTransport implements Transport {
  private static final Logger LOG = LoggerFactory.getLogger(InProcessTransport.class);

  private final Exchange exchange;
  private final Credentials credentials;

  InProcessTransport(Exchange exchange, Identity identity) {
    this.exchange = exchange;
    this.credentials = Credentials.vouchedFor(identity);
  }

  @Override
  public Response send(Request request) throws Unreachable, InterruptedException {
    return switch (exchange.handle(credentials, request)) {
      case Answer.Whole(Response response) -> response;
      case Answer.Streamed(Stream stream, _) -> collect(stream);
      case Answer.Upgraded upgraded -> head(upgraded);
    };
  }

  @Override
  public Stream open(Request request) throws InterruptedException {
    return switch (exchange.handle(credentials, request)) {
      case Answer.Whole(Response response) -> new WholeStream(response);
      case Answer.Streamed(Stream stream, _) -> stream;
      case Answer.Upgraded upgraded -> new WholeStream(head(upgraded));
    };
  }

  /** What came of asking for a conversation. */
  sealed interface Upgrade {

    /** It goes on until one side closes; the caller must. */
    record Agreed(Response head, Duplex server) implements Upgrade {}

    record Declined(Response answer) implements Upgrade {}
  }

  /** Sends a request that asks to go on in another protocol. */
  Upgrade upgrade(Request request) throws Unreachable, InterruptedException {
    return switch (exchange.handle(credentials, request)) {
      case Answer.Whole(Response response) -> new Upgrade.Declined(response);
      case Answer.Streamed(Stream stream, _) -> new Upgrade.Declined(collect(stream));
      case Answer.Upgraded upgraded ->
          new Upgrade.Agreed(head(upgraded), begin(request, upgraded.talk()));
    };
  }

  /** The talk has a thread of its own, which ends when the returned end is closed. */
  private static Duplex begin(Request request, Answer.Talk talk) {
    var there = new BytePipe();
    var back = new BytePipe();
    var client = BytePipe.end(there, back);
    Thread.ofVirtual()
        .name("talk-" + request.path())
        .start(() -> {
          try (client) {
            talk.with(client);
          } catch (IOException e) {
            LOG.debug("A talk broke off", e); // the other end was closed
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    return BytePipe.end(back, there);
  }

  private static Response head(Answer.Upgraded upgraded) {
    return new Response(101, upgraded.headers().and("upgrade", upgraded.protocol()), new byte[0]);
  }

  private static Response collect(Stream stream) throws Unreachable, InterruptedException {
    try (stream) {
      var body = new ByteArrayOutputStream();
      byte[] frame;
      while ((frame = stream.next()) != null) {
        body.writeBytes(frame);
      }
      return new Response(stream.status(), stream.headers(), body.toByteArray());
    }
  }

  /** An answer that was expected to be a stream but is complete, such as a refusal. */
  private static final class WholeStream implements Stream {
    private final Response response;
    private boolean read;

    WholeStream(Response response) {
      this.response = response;
    }

    @Override
    public int status() {
      return response.status();
    }

    @Override
    public Headers headers() {
      return response.headers();
    }

    @Override
    public byte @Nullable [] next() {
      if (read) {
        return null;
      }
      read = true;
      return response.body();
    }

    @Override
    public void close() {
      read = true;
    }
  }
}
