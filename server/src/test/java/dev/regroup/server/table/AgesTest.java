package dev.regroup.server.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgesTest {

  @ParameterizedTest
  @CsvSource({
    "PT-5S, <invalid>",
    "PT-1S, 0s",
    "PT0S, 0s",
    "PT119S, 119s",
    "PT2M, 2m",
    "PT9M59S, 9m59s",
    "PT10M30S, 10m",
    "PT3H, 3h",
    "PT7H59M, 7h59m",
    "PT47H, 47h",
    "PT49H, 2d1h",
    "P8D, 8d",
    "P730D, 2y",
    "P800D, 2y70d",
    "P3000D, 8y"
  })
  void prints_durations_as_kubectl_users_know_them(Duration duration, String text) {
    assertThat(Ages.human(duration)).isEqualTo(text);
  }
}
