package dev.regroup.rules.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.node.PodAbandonment.Keeper;
import dev.regroup.rules.node.PodAbandonment.Life;
import dev.regroup.rules.node.PodAbandonment.Patience;
import dev.regroup.rules.node.PodAbandonment.Why;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PodAbandonmentTest {

  private static final Duration SHORT = Duration.ofSeconds(10);
  private static final Duration LONG = Duration.ofSeconds(100);
  private static final Patience NEVER_FAILS =
      new Patience(Duration.ofSeconds(40), Optional.empty());
  private static final Patience FAILS =
      new Patience(Duration.ofSeconds(40), Optional.of(Duration.ofSeconds(30)));

  @ParameterizedTest
  @EnumSource(Life.class)
  void a_pod_of_a_node_at_work_is_nobodys_business(Life life) {
    assertThat(PodAbandonment.of(life, Keeper.READY, LONG, FAILS))
        .isEqualTo(new PodAbandonment.Stays());
  }

  @Test
  @Rule({"JB-75", "JB-114"})
  void a_deleted_pod_that_never_had_a_node_fails() {
    assertThat(PodAbandonment.of(Life.ENDING, Keeper.NONE, Duration.ZERO, FAILS))
        .isEqualTo(new PodAbandonment.Fails(Why.NEVER_ASSIGNED));
    assertThat(PodAbandonment.of(Life.ALIVE, Keeper.NONE, LONG, FAILS))
        .isEqualTo(new PodAbandonment.Stays());
    assertThat(PodAbandonment.of(Life.ENDED_AND_DELETED, Keeper.NONE, LONG, FAILS))
        .isEqualTo(new PodAbandonment.Stays());
  }

  @ParameterizedTest
  @EnumSource(Life.class)
  @Rule("JB-114")
  void a_pod_goes_with_its_node_after_the_quarantine(Life life) {
    assertThat(PodAbandonment.of(life, Keeper.GONE, SHORT, FAILS))
        .isEqualTo(new PodAbandonment.Waits(Duration.ofSeconds(40)));
    assertThat(PodAbandonment.of(life, Keeper.GONE, LONG, FAILS))
        .isEqualTo(new PodAbandonment.FailsAndGoes(Why.NODE_GONE));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({"ALIVE, false", "ENDING, true", "ENDED, false", "ENDED_AND_DELETED, true"})
  @Rule({"JB-113", "JB-114"})
  void a_deleted_pod_goes_when_its_node_is_out_of_service(Life life, boolean goes) {
    var step = PodAbandonment.of(life, Keeper.OUT_OF_SERVICE, Duration.ZERO, FAILS);

    assertThat(step.equals(new PodAbandonment.FailsAndGoes(Why.OUT_OF_SERVICE))).isEqualTo(goes);
  }

  @Test
  @Rule({"JB-75", "JB-113"})
  void a_pod_of_an_unreachable_node_is_not_ready_and_waits_for_its_node() {
    assertThat(PodAbandonment.of(Life.ALIVE, Keeper.UNREACHABLE, LONG, NEVER_FAILS))
        .isEqualTo(new PodAbandonment.NotReady(Optional.empty()));
    assertThat(PodAbandonment.of(Life.ENDING, Keeper.NOT_READY, LONG, FAILS))
        .isEqualTo(new PodAbandonment.NotReady(Optional.empty()));
    assertThat(PodAbandonment.of(Life.ENDED, Keeper.UNREACHABLE, LONG, FAILS))
        .isEqualTo(new PodAbandonment.Stays());
  }

  @ParameterizedTest
  @EnumSource(
      value = Life.class,
      names = {"ALIVE", "ENDING"})
  @Rule("JS-136")
  void a_pod_of_an_unreachable_node_fails_in_time_where_that_is_set(Life life) {
    assertThat(PodAbandonment.of(life, Keeper.UNREACHABLE, SHORT, FAILS))
        .isEqualTo(new PodAbandonment.NotReady(Optional.of(Duration.ofSeconds(30))));
    assertThat(PodAbandonment.of(life, Keeper.UNREACHABLE, LONG, FAILS))
        .isEqualTo(new PodAbandonment.Fails(Why.NODE_UNREACHABLE));
  }
}
