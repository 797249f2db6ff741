package dev.regroup.api.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.CompletedRestart;
import dev.regroup.rules.pod.RestartHistory;
import dev.regroup.rules.progress.ProgramBreak;
import dev.regroup.rules.progress.ProgramLife;
import dev.regroup.rules.progress.ProgressStep;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a pod tells of its restarts, through the wire. */
class RestartHistoriesTest {

  private static final Instant BEGAN = Instant.parse("2026-01-01T00:00:00.250001Z");

  @Test
  void reads_back_what_was_written_to_the_microsecond() {
    var history = RestartHistory.NONE.with(restart(1)).with(restart(2));

    assertThat(RestartHistories.read(Wire.toTree(RestartHistories.annotations(history))))
        .isEqualTo(history);
  }

  @Test
  void is_short_and_can_be_read_by_people() {
    var annotation = RestartHistories.annotations(RestartHistory.NONE.with(restart(1)));

    assertThat(annotation)
        .isEqualTo(
            Map.of(
                "regroup.dev/restarts",
                "{\"completed\":1,\"newest\":[{\"cycle\":1,\"began\":\"2026-01-01T00:00:00.250001Z\","
                    + "\"exitSeen\":0,\"noticed\":1.25,\"atBarrier\":60,\"running\":80.001}]}"));
  }

  @Test
  void reads_back_what_the_program_did_around_a_restart() {
    var moments = new java.util.EnumMap<Moment, Instant>(Moment.class);
    moments.putAll(restart(1).moments());
    moments.put(Moment.LAST_SIGN, BEGAN.minusSeconds(7));
    moments.put(Moment.FOUND_HANGING, BEGAN.minusSeconds(1));
    moments.put(Moment.FIRST_OUTPUT, BEGAN.plusSeconds(3));
    moments.put(Moment.CAUGHT_UP, BEGAN.plusSeconds(4));
    var program = new ProgramBreak(BEGAN.minusSeconds(6), 180, 151, false);
    var history =
        RestartHistory.NONE
            .with(new CompletedRestart(1, moments, program))
            .with(
                new ProgramLife(
                    BEGAN,
                    BEGAN.plusMillis(5),
                    BEGAN.plusSeconds(9),
                    new ProgressStep(212, 400, BEGAN),
                    BEGAN.plusNanos(7_000)));

    assertThat(RestartHistories.read(Wire.toTree(RestartHistories.annotations(history))))
        .isEqualTo(history);
  }

  @Test
  void a_program_that_only_started_says_so_without_restarts() {
    var life = new ProgramLife(BEGAN, null, null, null);

    assertThat(RestartHistories.annotations(RestartHistory.NONE.with(life)))
        .isEqualTo(Map.of("regroup.dev/program", "{\"started\":\"2026-01-01T00:00:00.250001Z\"}"));
  }

  @Test
  void a_pod_that_was_never_restarted_says_nothing() {
    assertThat(RestartHistories.annotations(RestartHistory.NONE)).isEmpty();
    assertThat(RestartHistories.read(Wire.object())).isEqualTo(RestartHistory.NONE);
  }

  @Test
  void tells_the_newest_ten_and_counts_them_all() {
    var history = RestartHistory.NONE;
    for (int cycle = 1; cycle <= 1_000; cycle++) {
      history = history.with(restart(cycle));
    }

    var annotation = RestartHistories.annotations(history);

    var read = RestartHistories.read(Wire.toTree(annotation));
    assertThat(read.completed()).isEqualTo(1_000);
    assertThat(read.newest()).extracting(CompletedRestart::cycle).startsWith(991).endsWith(1_000);
    assertThat(annotation.get("regroup.dev/restarts")).hasSizeLessThan(2_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "[]",
        "seven",
        "{\"completed\":\"x\",\"newest\":{}}",
        "{\"newest\":[1,{\"cycle\":1,\"noticed\":0,\"running\":1}]}",
        "{\"newest\":[{\"cycle\":1,\"began\":\"2026-01-01T00:00:00Z\",\"running\":1}]}"
      })
  void what_nobody_of_ours_has_written_is_not_there(String text) {
    var annotations = Wire.object().put("regroup.dev/restarts", text);

    assertThat(RestartHistories.read(annotations)).isEqualTo(RestartHistory.NONE);
  }

  private static CompletedRestart restart(int cycle) {
    return new CompletedRestart(
        cycle,
        Map.of(
            Moment.EXIT_SEEN, BEGAN,
            Moment.NOTICED, BEGAN.plusNanos(1_250_000),
            Moment.AT_BARRIER, BEGAN.plusMillis(60),
            Moment.RUNNING, BEGAN.plusNanos(80_001_000)));
  }
}
