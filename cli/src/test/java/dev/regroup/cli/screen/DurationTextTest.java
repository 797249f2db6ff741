package dev.regroup.cli.screen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DurationTextTest {

  private final DurationText text = new DurationText();

  @Test
  void reads_what_kubectl_reads() {
    assertThat(text.convert("90s")).isEqualTo(Duration.ofSeconds(90));
    assertThat(text.convert("1h30m")).isEqualTo(Duration.ofMinutes(90));
    assertThat(text.convert("1500ms")).isEqualTo(Duration.ofMillis(1500));
  }

  @Test
  void says_how_to_write_it() {
    for (String wrong : new String[] {"", "10", "ten", "-1s", "1d"}) {
      assertThatThrownBy(() -> text.convert(wrong)).hasMessageContaining("write 90s");
    }
  }
}
