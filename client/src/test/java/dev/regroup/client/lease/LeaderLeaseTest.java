package dev.regroup.client.lease;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.Eventually;
import dev.regroup.client.Headers;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeaderLeaseTest {

  private static final JsonMapper JSON = new JsonMapper();
  private static final LeaderLease.Times QUICK = // but for a machine that pauses
      new LeaderLease.Times(
          Duration.ofSeconds(400), Duration.ofSeconds(200), Duration.ofMillis(20));

  /** One Lease, with revisions and conflicts; can be cut off. */
  private static final class LeaseServer implements Transport {
    private @Nullable ObjectNode stored; // guarded by this
    private int revision;
    volatile boolean down;

    /** The next write is stored, and its answer does not arrive. */
    volatile @Nullable CountDownLatch unanswered;

    /** Happens while it is read. */
    volatile Runnable meanwhile = () -> {};

    /** Happens right after it was read. */
    volatile Runnable afterwards = () -> {};

    @Override
    public Response send(Request request) throws Unreachable, InterruptedException {
      if (request.method().equals("GET")) {
        meanwhile.run();
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      var answer = answer(request);
      if (request.method().equals("GET")) {
        afterwards.run();
      }
      var lost = unanswered;
      if (lost != null && !request.method().equals("GET")) {
        unanswered = null;
        lost.countDown();
        new CountDownLatch(1).await();
      }
      return answer;
    }

    private synchronized Response answer(Request request) throws Unreachable {
      if (down) {
        throw new Unreachable("down", new IOException("down"));
      }
      try {
        return switch (request.method()) {
          case "GET" -> stored == null ? status(404, "NotFound") : ok();
          case "POST" -> stored == null ? store(request) : status(409, "AlreadyExists");
          case "PUT" -> {
            var now = stored;
            var wanted = JSON.readTree(request.body()).at("/metadata/resourceVersion").asText();
            yield now != null && wanted.equals(now.at("/metadata/resourceVersion").asText())
                ? store(request)
                : status(409, "Conflict");
          }
          default -> status(405, "MethodNotAllowed");
        };
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    private Response store(Request request) throws IOException {
      stored = (ObjectNode) JSON.readTree(request.body());
      stored.withObject("/metadata").put("resourceVersion", String.valueOf(++revision));
      return ok();
    }

    private Response ok() throws IOException {
      return new Response(200, Headers.NONE, JSON.writeValueAsBytes(stored));
    }

    private static Response status(int code, String reason) throws IOException {
      var status = JSON.createObjectNode().put("kind", "Status").put("code", code);
      return new Response(code, Headers.NONE, JSON.writeValueAsBytes(status.put("reason", reason)));
    }

    @Override
    public Stream open(Request request) {
      throw new UnsupportedOperationException();
    }

    /** A write that was under way for long. */
    synchronized void renewLate() {
      requireNonNull(stored).withObject("/metadata").put("resourceVersion", "" + ++revision);
    }

    synchronized String at(String pointer) {
      return stored == null ? "" : stored.at(pointer).asText();
    }
  }

  private final LeaseServer server = new LeaseServer();
  private final AtomicInteger elected = new AtomicInteger();
  private final AtomicInteger lost = new AtomicInteger();
  private final AtomicLong now = new AtomicLong(); // stands still unless a test moves it

  private LeaderLease stand(String identity) {
    return stand(identity, QUICK);
  }

  private LeaderLease stand(String identity, LeaderLease.Times times) {
    return new LeaderLease(
        server,
        new LeaderLease.Candidate(
            new ObjectKey("ns", "lease"),
            identity,
            times,
            Map.of(),
            () -> Map.of("note", identity)),
        new LeaderLease.Listener() {
          @Override
          public void elected() {
            elected.incrementAndGet();
          }

          @Override
          public void lost() {
            lost.incrementAndGet();
          }
        },
        InstantSource.system(),
        now::get);
  }

  @Test
  void the_first_one_leads_and_notes_what_it_has_to_say() throws Exception {
    try (var first = stand("a")) {
      Eventually.holds("a leads", first::leading);

      assertThat(server.at("/spec/holderIdentity")).isEqualTo("a");
      assertThat(server.at("/spec/leaseTransitions")).isEqualTo("0");
      assertThat(server.at("/metadata/annotations/note")).isEqualTo("a");
    }
  }

  @Test
  void a_second_one_waits_until_the_first_gives_the_lease_back() throws Exception {
    try (var first = stand("a")) {
      Eventually.holds("a leads", first::leading);
      try (var second = stand("b")) {
        var renewed = server.at("/spec/renewTime");
        Eventually.holds("renewed", () -> !server.at("/spec/renewTime").equals(renewed));
        assertThat(second.leading()).isFalse();

        first.close();

        assertThat(first.leading()).isFalse();
        Eventually.holds("b leads", second::leading);
        assertThat(server.at("/spec/leaseTransitions")).isEqualTo("1");
      }
    }
    assertThat(lost).hasValue(0);
  }

  @Test
  void a_lease_is_given_back_also_by_who_has_not_heard_that_it_holds_it() throws Exception {
    var written = new CountDownLatch(1);
    server.unanswered = written;

    try (var _ = stand("a")) {
      written.await();
      assertThat(server.at("/spec/holderIdentity")).isEqualTo("a");
    }

    assertThat(server.at("/spec/holderIdentity")).isEqualTo("null"); // nobody's
  }

  /** Connections may live on while nobody answers, and somebody else may be heard. */
  @Test
  void who_gets_no_answer_in_time_leads_no_more() throws Exception {
    var impatient =
        new LeaderLease.Times(Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofMillis(20));
    try (var lease = stand("a", impatient)) {
      Eventually.holds("a leads", lease::leading);
      server.unanswered = new CountDownLatch(1);

      Eventually.holds("it is told", () -> lost.get() == 1);
      assertThat(lease.leading()).isFalse();
    }
  }

  /** Whoever closes may be late: the lease is being given back already. */
  @Test
  void nothing_interrupts_who_gives_the_lease_back() throws Exception {
    var slow =
        new LeaderLease.Times(Duration.ofMinutes(3), Duration.ofMinutes(2), Duration.ofMinutes(1));
    var lease = stand("a", slow);
    Eventually.holds("a leads", lease::leading);
    var late = Thread.ofPlatform().unstarted(lease::close);
    server.meanwhile =
        () -> {
          late.start();
          while (late.getState() != Thread.State.WAITING) {
            Thread.onSpinWait(); // until it has done all it does but wait
          }
        };

    lease.close();

    late.join();
    assertThat(server.at("/spec/holderIdentity")).isEqualTo("null"); // nobody's
  }

  /** A renewal that the end cut off may reach the server after all. */
  @Test
  void a_renewal_that_comes_late_does_not_keep_the_lease() throws Exception {
    var slow =
        new LeaderLease.Times(Duration.ofMinutes(3), Duration.ofMinutes(2), Duration.ofMinutes(1));
    var lease = stand("a", slow);
    Eventually.holds("a leads", lease::leading);
    var late = new AtomicBoolean(true);
    server.afterwards =
        () -> {
          if (late.getAndSet(false)) {
            server.renewLate();
          }
        };

    lease.close();

    assertThat(server.at("/spec/holderIdentity")).isEqualTo("null"); // nobody's
  }

  @Test
  void a_leader_that_cannot_renew_ends_before_anybody_else_may_lead() throws Exception {
    try (var first = stand("a")) {
      Eventually.holds("a leads", first::leading);

      server.down = true;
      whileTimePasses("told", () -> lost.get() == 1);
      assertThat(first.leading()).isFalse();
      server.down = false;
      try (var second = stand("b")) {
        whileTimePasses("b leads after the lease ran out", second::leading);
      }
    }
    assertThat(elected).hasValue(2);
  }

  private void whileTimePasses(String fact, BooleanSupplier condition) throws InterruptedException {
    Eventually.holds(
        fact,
        () -> {
          now.addAndGet(QUICK.deadline().dividedBy(10).toNanos());
          return condition.getAsBoolean();
        });
  }

  @Test
  void a_lease_that_changes_is_held_whatever_the_clocks_say() {
    var old = new LeaseRecord("a", "", "2001-01-01T00:00:00.000000Z", 3, "7");
    var view = new LeaseView(LeaseRecord.NONE, 0).seen(old, 100);
    var second = Duration.ofNanos(1000);

    assertThat(view.free("b", 900, second)).isFalse();
    assertThat(view.seen(old, 900).free("b", 1100, second)).isTrue();
    var renewed = new LeaseRecord("a", "", "2001-01-01T00:00:02.000000Z", 3, "8");
    assertThat(view.seen(renewed, 900).free("b", 1100, second)).isFalse();
    assertThat(view.free("a", 101, second)).isTrue();
  }

  @Test
  void times_are_micros_and_transitions_count_new_holders_only() {
    var now = Instant.parse("2026-01-02T03:04:05.123456789Z");
    var first = LeaseRecord.NONE.heldBy("a", now);
    var stored = new LeaseRecord("a", first.acquired(), first.renewed(), 0, "1");

    assertThat(first.renewed()).isEqualTo("2026-01-02T03:04:05.123456Z");
    assertThat(stored.heldBy("a", now.plusSeconds(1)).transitions()).isZero();
    assertThat(stored.heldBy("b", now).transitions()).isEqualTo(1);
    assertThat(stored.releasedAt(now).holder()).isEmpty();
  }

  @Test
  void times_that_let_two_lead_are_refused() {
    assertThatThrownBy(() ->
            new LeaderLease.Times(
                Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofSeconds(2)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
