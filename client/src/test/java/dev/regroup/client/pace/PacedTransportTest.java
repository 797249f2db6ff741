package dev.regroup.client.pace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.client.pace.PacedTransport.Manners;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacedTransportTest {

  private long nanos;
  private final List<Duration> pauses = new ArrayList<>();
  private final Answers answers = new Answers();

  /** Answers in order, then 200; keeps what was asked. */
  private static final class Answers implements Transport {
    final Deque<Response> next = new ArrayDeque<>();
    final List<Request> asked = new ArrayList<>();

    @Override
    public Response send(Request request) {
      asked.add(request);
      return next.isEmpty() ? answer(200, "") : next.pop();
    }

    @Override
    public Stream open(Request request) {
      var response = send(request);
      return new Stream() {
        @Override
        public int status() {
          return response.status();
        }

        @Override
        public Headers headers() {
          return response.headers();
        }

        @Override
        public byte @org.jspecify.annotations.Nullable [] next() {
          return null;
        }

        @Override
        public void close() {}
      };
    }
  }

  private static Response answer(int code, String retryAfter) {
    return new Response(
        code,
        retryAfter.isEmpty() ? Headers.NONE : Headers.of("retry-after", retryAfter),
        "x".getBytes(UTF_8));
  }

  private PacedTransport paced(double perSecond, int burst) {
    return new PacedTransport(
        answers,
        new Manners(perSecond, burst, 8, "regroup/1"),
        () -> nanos,
        time -> {
          pauses.add(time);
          nanos += time.toNanos();
        });
  }

  @Test
  void a_burst_goes_out_at_once_and_the_rest_at_the_rate() throws Exception {
    var transport = paced(10, 3);

    for (int i = 0; i < 5; i++) {
      transport.send(Request.get("/", ""));
    }

    assertThat(pauses).containsExactly(Duration.ofMillis(100), Duration.ofMillis(100));
  }

  @Test
  void a_quiet_time_fills_the_bucket_up_to_the_burst_only() throws Exception {
    var transport = paced(10, 2);
    nanos += Duration.ofHours(1).toNanos();

    for (int i = 0; i < 3; i++) {
      transport.send(Request.get("/", ""));
    }

    assertThat(pauses).hasSize(1);
  }

  @Test
  void a_server_that_names_a_time_is_asked_again_then() throws Exception {
    answers.next.add(answer(429, "2"));
    answers.next.add(answer(503, "1"));

    var response = paced(100, 100).send(Request.get("/", ""));

    assertThat(response.status()).isEqualTo(200);
    assertThat(pauses).containsExactly(Duration.ofSeconds(2), Duration.ofSeconds(1));
  }

  @Test
  void an_error_without_a_time_is_an_answer() throws Exception {
    answers.next.add(answer(503, ""));
    answers.next.add(answer(500, "1"));

    assertThat(paced(100, 100).send(Request.get("/", "")).status()).isEqualTo(503);
    assertThat(paced(100, 100).send(Request.get("/", "")).status()).isEqualTo(500);
    assertThat(pauses).isEmpty();
  }

  @Test
  void it_gives_up_after_ten_tries_and_never_waits_longer_than_half_a_minute() throws Exception {
    for (int i = 0; i < 20; i++) {
      answers.next.add(answer(429, "86400"));
    }

    assertThat(paced(100, 100).send(Request.get("/", "")).status()).isEqualTo(429);
    assertThat(answers.asked).hasSize(10);
    assertThat(pauses).hasSize(9).allMatch(Duration.ofSeconds(30)::equals);
  }

  @Test
  void a_watch_that_is_refused_is_opened_again() throws Exception {
    answers.next.add(answer(429, "1"));

    try (var stream = paced(100, 100).open(Request.get("/", "watch=true"))) {
      assertThat(stream.status()).isEqualTo(200);
    }
  }

  @Test
  void every_request_says_who_sends_it() throws Exception {
    var transport = paced(100, 100);
    transport.send(Request.get("/", ""));
    transport.send(Request.get("/", "").withHeader("user-agent", "other"));

    assertThat(answers.asked)
        .extracting(request -> request.headers().all("user-agent"))
        .containsExactly(List.of("regroup/1"), List.of("other"));
  }

  @Test
  void a_rate_of_nothing_is_refused() {
    assertThatThrownBy(() -> paced(0, 5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a rate above 0");
  }
}
