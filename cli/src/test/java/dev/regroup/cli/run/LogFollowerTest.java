package dev.regroup.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.regroup.api.Wire;
import dev.regroup.client.Headers;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LogFollowerTest {

  private final StringWriter shown = new StringWriter();
  private final LogFollower logs = new LogFollower(new OneLineEach(), plain()::output);

  @Test
  void what_was_told_before_the_end_is_shown() throws Exception {
    logs.podChanged(pod("a", 1));
    logs.finish(Duration.ofSeconds(20));
    logs.close();

    assertThat(shown.toString()).isEqualTo("a | last words" + System.lineSeparator());
  }

  @Test
  void pods_that_change_at_the_end_and_after_it_disturb_nobody() throws Exception {
    for (int round = 0; round < 200; round++) {
      var follower = new LogFollower(new OneLineEach(), plain()::output);
      var changes =
          CompletableFuture.runAsync(() -> {
            for (int id = 0; id < 20; id++) {
              follower.podChanged(pod("b", id));
            }
          });
      follower.finish(Duration.ofSeconds(20));
      follower.close();

      assertThatCode(() -> changes.get(20, TimeUnit.SECONDS)).doesNotThrowAnyException();
    }
  }

  @Test
  void a_run_that_was_replaced_before_its_log_was_asked_for_keeps_its_words() throws Exception {
    var follower = new LogFollower(new Restarted(), plain()::output);
    follower.podChanged(pod("a", 1)); // its first run; by now the second one runs
    follower.finish(Duration.ofSeconds(20));
    follower.close();

    assertThat(shown.toString()).isEqualTo("a | of run 0" + System.lineSeparator());
  }

  @Test
  void the_words_of_what_has_ended_are_waited_for_also_beside_what_still_runs() throws Exception {
    var speak = new CountDownLatch(1);
    var follower = new LogFollower(new SlowAndEndless(speak), plain()::output);
    follower.podChanged(
        FollowedPod.of(
            Wire.tree(
                """
                {"metadata":{"name":"r","namespace":"default","uid":"v"},
                 "spec":{"containers":[{"name":"c"}]},
                 "status":{"phase":"Running","containerStatuses":[{"name":"c",
                  "containerID":"regroup://2","state":{"running":{}}}]}}
                """)));
    follower.podChanged(pod("a", 1));

    var end =
        CompletableFuture.runAsync(() -> {
          try {
            follower.finish(Duration.ZERO);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
    speak.countDown();
    end.get(20, TimeUnit.SECONDS);
    follower.close();

    assertThat(shown.toString()).isEqualTo("a | last words" + System.lineSeparator());
  }

  private PlainScreen plain() {
    var out = new PrintWriter(shown, true);
    return new PlainScreen(out, out);
  }

  private static FollowedPod pod(String name, int id) {
    return FollowedPod.of(
        Wire.tree(
            """
            {"metadata":{"name":"%s","namespace":"default","uid":"u"},
             "spec":{"containers":[{"name":"c"}]},
             "status":{"phase":"Failed","containerStatuses":[{"name":"c","state":
              {"terminated":{"exitCode":1,"containerID":"regroup://%d"}}}]}}
            """
                .formatted(name, id)));
  }

  /** A server whose containers have each said one line. */
  private static final class OneLineEach implements Transport {
    @Override
    public Response send(Request request) {
      throw new IllegalStateException("logs are streams");
    }

    @Override
    public Stream open(Request request) {
      return new OneLine("last words");
    }
  }

  /** A node whose container is at its second run. */
  private static final class Restarted implements Transport {
    @Override
    public Response send(Request request) {
      throw new IllegalStateException("logs are streams");
    }

    @Override
    public Stream open(Request request) {
      String run = request.query().endsWith("&regroupRun=0") ? "0" : "1";
      return new OneLine("of run " + run);
    }
  }

  /** Of one container the line comes late; the other one says nothing and never ends. */
  private record SlowAndEndless(CountDownLatch speak) implements Transport {
    @Override
    public Response send(Request request) {
      throw new IllegalStateException("logs are streams");
    }

    @Override
    public Stream open(Request request) {
      return request.path().contains("/a/")
          ? new Late(new OneLine("last words"), speak, new AtomicBoolean())
          : new Late(new OneLine("?"), new CountDownLatch(1), new AtomicBoolean());
    }
  }

  /** Says nothing before its time, and nothing at all once it is closed. */
  private record Late(OneLine line, CountDownLatch due, AtomicBoolean closed)
      implements Transport.Stream {
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
      due.await();
      return closed.get() ? null : line.next();
    }

    @Override
    public void close() {
      closed.set(true);
      due.countDown();
    }
  }

  private static final class OneLine implements Transport.Stream {
    private final String line;
    private boolean told;

    OneLine(String line) {
      this.line = line;
    }

    @Override
    public int status() {
      return 200;
    }

    @Override
    public Headers headers() {
      return Headers.NONE;
    }

    @Override
    public byte @Nullable [] next() {
      if (told) {
        return null;
      }
      told = true;
      return (line + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {}
  }
}
