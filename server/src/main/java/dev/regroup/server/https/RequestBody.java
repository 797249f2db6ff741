package dev.regroup.server.https;

import dev.regroup.server.wire.Status;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the body of a request whose caller is known and may ask, within two limits. */
final class RequestBody {
  private static final Logger LOG = LoggerFactory.getLogger(RequestBody.class);

  /** Many clients read no answer before they have sent everything. */
  private static final long DISCARDED = 64L << 20; // 64 MiB

  private static final long DISCARDED_OF_STRANGERS = 64L << 10; // 64 KiB
  private static final int STRANGERS_SECONDS = 5;

  private static final byte[] NOTHING = {};
  private static final int FIRST_PIECE = 16 << 10; // 16 KiB

  private final int limit;
  private final BodyBudget budget;

  /**
   * @param limit larger bodies are refused
   * @param budget what all bodies may take together
   */
  RequestBody(int limit, BodyBudget budget) {
    this.limit = limit;
    this.budget = budget;
  }

  /** What came of reading. */
  sealed interface Got {
    record Whole(byte[] body) implements Got {}

    record Refused(Status status) implements Got {}
  }

  BodyBudget.Share share(String user) {
    return budget.share(user);
  }

  Got read(Request request, BodyBudget.Share share) throws IOException {
    long announced = request.getLength();
    if (announced > limit) {
      return tooLarge(request);
    }
    var in = Content.Source.asInputStream(request);
    int first = in.read();
    if (first < 0) {
      return new Got.Whole(NOTHING); // most requests that do not say how long their body is
    }
    int size = announced < 0 ? FIRST_PIECE : (int) announced;
    if (!share.growTo(size)) {
      return busy(request);
    }
    byte[] body = new byte[size];
    body[0] = (byte) first;
    int length = 1 + in.readNBytes(body, 1, size - 1);
    if (announced >= 0) {
      var _ = in.skip(1); // over HTTP/2 the end may come by itself; unread, it would be an abort
      return new Got.Whole(length == size ? body : Arrays.copyOf(body, length));
    }
    while (length == body.length) { // nobody said how long it is
      if (length > limit) {
        return tooLarge(request);
      }
      size = Math.min(limit + 1, 2 * size);
      if (!share.growTo(size)) {
        return busy(request);
      }
      body = Arrays.copyOf(body, size);
      length += in.readNBytes(body, length, size - length);
    }
    return new Got.Whole(length == body.length ? body : Arrays.copyOf(body, length));
  }

  /** Reads what is left and forgets it at once. */
  void discard(Request request) throws IOException {
    InputStream in = Content.Source.asInputStream(request);
    var _ = in.skip(DISCARDED);
  }

  /**
   * Reads what an answered stranger still sends, if it is little and comes soon. Unread, it would
   * be an abort of the stream, and many clients forget the answer over it.
   */
  void discardLittle(Request request) {
    var alarm =
        request
            .getConnectionMetaData()
            .getConnector()
            .getScheduler()
            .schedule(
                () -> request.fail(new TimeoutException("the body does not come")),
                STRANGERS_SECONDS,
                TimeUnit.SECONDS);
    try {
      var _ = Content.Source.asInputStream(request).skip(DISCARDED_OF_STRANGERS);
    } catch (IOException e) {
      LOG.debug("an unread body was given up", e); // it has its answer
    } finally {
      var _ = alarm.cancel();
    }
  }

  private Got tooLarge(Request request) throws IOException {
    discard(request);
    return new Got.Refused(Status.tooLarge(limit));
  }

  private Got busy(Request request) throws IOException {
    discard(request);
    return new Got.Refused(Status.tooManyRequests("Too many requests, please try again later."));
  }
}
