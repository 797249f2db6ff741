package dev.regroup.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.cli.screen.CliFailure;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlanTextTest {

  @Test
  void reads_what_is_done_to_whom_when_and_for_how_long() throws CliFailure {
    var plan =
        PlanText.read(
            """
            # the morning after
            kill worker 2 after 10s; stop worker 0 at step 200 for 5s
            cut worker 1,3-4 after 1m30s for 10s   # not for ever
            delete worker all
            """);

    assertThat(plan.deeds(5))
        .containsExactly(
            deed(Harm.KILL, List.of(2), after("PT10S"), Duration.ZERO),
            deed(Harm.STOP, List.of(0), new Deed.When.AtStep(200), Duration.ofSeconds(5)),
            deed(Harm.CUT, List.of(1, 3, 4), after("PT1M30S"), Duration.ofSeconds(10)),
            deed(Harm.DELETE, List.of(), after("PT0S"), Duration.ZERO));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kill worker 2 after 10s",
        "stop worker 0 container worker at step 200 for 5s",
        "cut worker 1,3 after 1500ms for 10s",
        "evict worker all after 0s"
      })
  void a_deed_is_printed_as_it_is_written(String text) throws CliFailure {
    assertThat(PlanText.read(text)).hasToString(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "kil worker 2 | \"kil\": no such action (kill, terminate, stop, fill, cut, delete, evict)",
        "kill pod 2 | expected \"worker\", found \"pod\"",
        "kill worker | the number of a worker is missing at the end",
        "kill worker two | worker: \"two\" is no number (write 2, 0,3, 1-4 or all)",
        "kill worker 3-1 | worker: \"3-1\" is no range",
        "kill worker 2 in 10s | \"in\" is not understood (after TIME, at step N, for TIME or",
        "kill worker 2 after ten | after: \"ten\" is no length of time (write 90s, 10m or 1h30m)",
        "kill worker 2 after 25h | after: 25h is too long (at most 86400s)",
        "kill worker 2 for 5s | for: kill does not last (leave it out)",
        "stop worker 2 for 11m | for: 11m is too long (at most 600s)",
        "cut worker 2 | for: is missing (say how long: cut worker 1 after 5s for 10s)",
        "kill worker 2 at step x | step: \"x\" is no number",
        "exit worker 2 | exit: nobody can choose another program's exit code",
        "random 5 over 60s | expected \"seed\", found the end",
        "random 0 over 60s seed 1 | count: must be 1 to 1000, not 0",
        "random 5 over 60s seed 1 of kil | \"kil\": no such action",
        "random 5 over 60s seed 1; kill worker 1 | random stands alone",
        "# nothing | plan: is empty (write for example: kill worker 2 after 10s)",
      })
  void what_is_wrong_is_said_with_what_to_do(String text, String problem) {
    assertThatThrownBy(() -> PlanText.read(text))
        .isInstanceOfSatisfying(
            CliFailure.class,
            failure -> assertThat(failure.code()).isEqualTo(CliFailure.Code.USAGE))
        .hasMessageContaining(problem);
  }

  @Test
  void a_worker_that_the_group_does_not_have_is_refused() throws CliFailure {
    var plan = PlanText.read("kill worker 4");

    assertThatThrownBy(() -> plan.deeds(4))
        .hasMessageContaining("there is no worker 4 (the group has 4: 0 to 3)");
  }

  @Test
  void the_same_seed_draws_the_same_deeds_in_the_order_of_their_times() throws CliFailure {
    var plan = PlanText.read("random 20 over 60s seed 7 of kill,stop");

    var deeds = plan.deeds(4);

    assertThat(deeds).hasSize(20).isEqualTo(plan.deeds(4));
    assertThat(PlanText.read("random 20 over 60s seed 8").deeds(4)).isNotEqualTo(deeds);
    assertThat(deeds).extracting(Deed::harm).containsOnly(Harm.KILL, Harm.STOP);
    assertThat(deeds).allMatch(deed -> deed.workers().getFirst() < 4);
    assertThat(deeds)
        .extracting(deed -> ((Deed.When.After) deed.when()).time())
        .isSorted()
        .allMatch(time -> time.compareTo(Duration.ofSeconds(60)) < 0);
    assertThat(deeds)
        .filteredOn(deed -> deed.harm() == Harm.STOP)
        .allMatch(deed -> deed.lasting().isPositive());
  }

  private static Deed deed(Harm harm, List<Integer> workers, Deed.When when, Duration lasting) {
    return new Deed(harm, workers, "", when, lasting);
  }

  private static Deed.When after(String time) {
    return new Deed.When.After(Duration.parse(time));
  }
}
