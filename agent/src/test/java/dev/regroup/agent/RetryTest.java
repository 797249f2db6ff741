package dev.regroup.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RetryTest {

  /** JS-162. */
  @Test
  void the_first_pause_is_short_and_none_is_longer_than_five_seconds() {
    var retry = new Retry();

    assertThat(retry.first()).isTrue();
    assertThat(retry.nextMillis()).isBetween(0L, 99L);
    assertThat(retry.first()).isFalse();
    long last = 0;
    for (int i = 0; i < 50; i++) {
      last = retry.nextMillis();
      assertThat(last).isBetween(100L, 5_000L);
    }
    assertThat(last).isEqualTo(5_000);

    retry.succeeded();
    assertThat(retry.nextMillis()).isBetween(0L, 99L);
  }
}
