package dev.regroup.client.pace;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.client.queue.Ticker;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;

/**
 * A transport with manners. Requests wait for a token and for a free place among those under way;
 * an answer that says when to come back (429, 503) is asked for again then, a few times; every
 * request says who sends it. Whoever shares a server connection with this transport shares its
 * limits, so one of them serves all parts of a program.
 */
public final class PacedTransport implements Transport {

  private static final int MOST_TRIES = 10;
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,6}");

  /**
   * How a program behaves.
   *
   * @param perSecond requests in the long run
   * @param burst requests at once
   * @param underWay requests that wait for their answer at the same time; a connection carries a
   *     hundred of them on most servers
   * @param userAgent who asks
   */
  public record Manners(double perSecond, int burst, int underWay, String userAgent) {

    public Manners {
      Objects.requireNonNull(userAgent, "userAgent");
    }
  }

  /** Lets time pass; a test lets it pass at once. */
  @FunctionalInterface
  interface Pause {
    void of(Duration time) throws InterruptedException;
  }

  private final Transport transport;
  private final TokenBucket bucket;
  private final Semaphore places;
  private final String userAgent;
  private final Ticker ticker;
  private final Pause pause;

  public PacedTransport(Transport transport, Manners manners) {
    this(transport, manners, Ticker.SYSTEM, Thread::sleep);
  }

  PacedTransport(Transport transport, Manners manners, Ticker ticker, Pause pause) {
    this.transport = Objects.requireNonNull(transport, "transport");
    this.bucket = new TokenBucket(manners.perSecond(), manners.burst(), ticker.nanos());
    this.places = new Semaphore(manners.underWay(), true);
    this.userAgent = manners.userAgent();
    this.ticker = ticker;
    this.pause = pause;
  }

  @Override
  public Response send(Request request) throws Unreachable, InterruptedException {
    var named = named(request);
    for (int tries = 1; ; tries++) {
      var answer = once(named);
      var wait = askedToWait(answer.status(), answer.headers());
      if (wait.isEmpty() || tries == MOST_TRIES) {
        return answer;
      }
      pause.of(wait.get());
    }
  }

  /** A stream keeps no place: it may last for hours. */
  @Override
  public Stream open(Request request) throws Unreachable, InterruptedException {
    var named = named(request);
    for (int tries = 1; ; tries++) {
      awaitToken();
      var stream = transport.open(named);
      var wait = askedToWait(stream.status(), stream.headers());
      if (wait.isEmpty() || tries == MOST_TRIES) {
        return stream;
      }
      stream.close();
      pause.of(wait.get());
    }
  }

  private Response once(Request request) throws Unreachable, InterruptedException {
    awaitToken();
    places.acquire();
    try {
      return transport.send(request);
    } finally {
      places.release();
    }
  }

  private void awaitToken() throws InterruptedException {
    long nanos = bucket.take(ticker.nanos());
    if (nanos > 0) {
      pause.of(Duration.ofNanos(nanos));
    }
  }

  private Request named(Request request) {
    return request.headers().first("user-agent").isPresent()
        ? request
        : request.withHeader("user-agent", userAgent);
  }

  /** Only a server that names a time is asked again: it has done nothing yet. */
  private static Optional<Duration> askedToWait(int status, Headers headers) {
    if (status != 429 && status != 503) {
      return Optional.empty();
    }
    return headers
        .first("retry-after")
        .filter(text -> SECONDS.matcher(text).matches())
        .map(text -> Duration.ofSeconds(Long.parseLong(text)))
        .map(time -> time.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : time);
  }
}
