package dev.regroup.api.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainTimeTest {

  @Test
  void any_second_is_read_as_the_library_reads_it() {
    var random = new Random(1);
    var last = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();
    var first = Instant.parse("0001-01-01T00:00:00Z").getEpochSecond();
    for (int i = 0; i < 20_000; i++) {
      var time = Instant.ofEpochSecond(random.nextLong(first, last));

      assertThat(PlainTime.read(time.toString())).isEqualTo(time);
    }
    var leapDay = Instant.parse("2024-02-29T23:59:59Z");
    assertThat(PlainTime.read(leapDay.toString())).isEqualTo(leapDay);
    assertThat(PlainTime.read(leapDay.plus(1, ChronoUnit.SECONDS).toString()))
        .isEqualTo("2024-03-01T00:00:00Z");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2026-01-01T00:00:00.5Z",
        "2026-01-01T00:00:00+01:00",
        "2026-01-01 00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T23:60:00Z",
        "2026-01-01T23:59:60Z",
        "0000-01-01T00:00:00Z",
        "2026-01-0aT00:00:00Z",
        "2026-01-01T00:00:00z"
      })
  void every_other_text_is_left_to_the_library(String text) {
    assertThat(PlainTime.read(text)).isNull();
  }
}
