package dev.regroup.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkerRestartsTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final WorkerRestarts restarts = new WorkerRestarts();

  /** BKO-02, BKO-08: as a node would, at once the first time. */
  @Test
  void a_worker_that_ends_again_and_again_waits_longer() {
    var waits = new ArrayList<Long>();
    Instant now = START;
    for (int i = 0; i < 7; i++) {
      restarts.ended(now);
      Duration left = restarts.left(now);
      waits.add(left.toSeconds());
      now = now.plus(left);
      assertThat(restarts.left(now)).isZero();
      assertThat(restarts.left(now)).as("asked again").isZero();
    }

    assertThat(waits).isEqualTo(List.of(0L, 10L, 20L, 40L, 80L, 160L, 300L));
    assertThat(restarts.count()).isEqualTo(7);
  }

  /** COND-02, RAC-54: an attempt of the group begins with nothing. */
  @Test
  void the_next_attempt_begins_anew() {
    restarts.ended(START);
    assertThat(restarts.left(START)).isZero();
    restarts.ended(START);
    assertThat(restarts.left(START)).isPositive();

    restarts.forget();

    assertThat(restarts.count()).isZero();
    assertThat(restarts.left(START)).isZero();
    restarts.ended(START);
    assertThat(restarts.plan(START)).isEqualTo("starting it again (restart 1 of this attempt)");
  }
}
