package dev.regroup.control.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class UnreadySpanTest {

  private long now = 5_000_000_000L;
  private final UnreadySpan span = new UnreadySpan(() -> now);

  /** ACC-104. */
  @Test
  void a_pod_that_was_ready_shows_as_not_ready_for_a_moment() {
    span.becameUnready("a");

    assertThat(span.left("a")).isEqualTo(UnreadySpan.LEAST);
    now += UnreadySpan.LEAST.minusMillis(20).toNanos();
    assertThat(span.left("a")).isEqualTo(Duration.ofMillis(20));
    now += Duration.ofMillis(20).toNanos();
    assertThat(span.left("a")).isZero();
  }

  @Test
  void each_restart_begins_anew_and_others_are_not_concerned() {
    span.becameUnready("a");
    now += UnreadySpan.LEAST.toNanos() / 2;
    span.becameUnready("a");

    assertThat(span.left("a")).isEqualTo(UnreadySpan.LEAST);
    assertThat(span.left("b")).isZero();
    span.gone("a");
    assertThat(span.left("a")).isZero();
  }
}
