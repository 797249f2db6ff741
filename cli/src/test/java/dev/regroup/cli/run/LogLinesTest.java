package dev.regroup.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LogLinesTest {

  private final List<String> shown = new ArrayList<>();
  private final LogLines lines = new LogLines(shown::add);

  @Test
  void a_line_is_shown_when_it_ends_however_it_arrives() {
    take("on");
    take("e\ntwo\r");
    take("\n\nlast");
    lines.finish();

    assertThat(shown).containsExactly("one", "two", "", "last");
  }

  @Test
  void of_a_progress_bar_the_last_state_is_shown() {
    assertThat(take("\r 10%\r 20%")).isTrue();
    assertThat(take("\r 30%\r100%\n")).isFalse();

    assertThat(shown).containsExactly("100%");
  }

  @Test
  void a_bar_that_takes_its_time_is_seen_meanwhile_and_no_state_twice() {
    take("\r 10%\r 20%");
    lines.showDrawn();
    lines.showDrawn();
    assertThat(take("\r 30%")).isTrue();
    lines.showDrawn();
    take("\n");

    assertThat(shown).containsExactly(" 20%", " 30%");
  }

  @Test
  void a_bar_that_ends_every_state_with_a_return_is_seen_too() {
    assertThat(take("1/3\r")).isTrue();
    lines.showDrawn();
    take("2/3\r3/3\r\n");

    assertThat(shown).containsExactly("1/3", "3/3");
  }

  @Test
  void lines_have_the_time_they_were_written_and_what_is_redrawn_when_it_is_shown() {
    var times = new ArrayList<String>();
    var stamped = LogLines.stamped((at, line) -> times.add(at + "|" + line), () -> Instant.EPOCH);
    String time = "2026-01-02T03:04:05.250000000Z ";

    for (byte b : (time + "one\n" + time + "\r1/2\r2/2\n" + time + "\n").getBytes(UTF_8)) {
      var _ = stamped.take(new byte[] {b});
    }
    var _ = stamped.take(("no time\n" + time + "x".repeat(70_000) + "\nword").getBytes(UTF_8));
    stamped.finish();

    assertThat(times)
        .containsExactly(
            "2026-01-02T03:04:05.250Z|one",
            "1970-01-01T00:00:00Z|2/2",
            "2026-01-02T03:04:05.250Z|",
            "1970-01-01T00:00:00Z|no time",
            "2026-01-02T03:04:05.250Z|" + "x".repeat(65_536),
            "2026-01-02T03:04:05.250Z|" + "x".repeat(70_000 - 65_536),
            "1970-01-01T00:00:00Z|word");
  }

  @Test
  void a_line_without_end_is_cut() {
    take("x".repeat(200_000));

    assertThat(shown).hasSize(3).allMatch(line -> line.length() == 65_536);
  }

  private boolean take(String text) {
    return lines.take(text.getBytes(UTF_8));
  }
}
