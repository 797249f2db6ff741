package dev.regroup.server;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.server.access.Credentials;
import dev.regroup.server.access.Identity;
import dev.regroup.server.wire.Answer;
import dev.regroup.server.wire.Exchange;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** Carries exchanges by calling them: same bytes, same identity checks, no socket. */
final class InProcessTransport implements Transport {
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
      case Answer.Streamed(Stream stream, Answer.Framing framing) -> collect(stream, framing);
    };
  }

  @Override
  public Stream open(Request request) throws InterruptedException {
    return switch (exchange.handle(credentials, request)) {
      case Answer.Whole(Response response) -> new WholeStream(response);
      case Answer.Streamed(Stream stream, _) -> stream;
    };
  }

  private static Response collect(Stream stream, Answer.Framing framing)
      throws Unreachable, InterruptedException {
    try (stream) {
      var body = new ByteArrayOutputStream();
      byte[] frame;
      while ((frame = stream.next()) != null) {
        body.writeBytes(frame);
        if (framing == Answer.Framing.LINES) {
          body.write('\n');
        }
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
