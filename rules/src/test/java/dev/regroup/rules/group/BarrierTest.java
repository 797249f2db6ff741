package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class BarrierTest {

  @Test
  void epochs_are_attempts_plus_one_in_every_state_js150() {
    assertThat(Barrier.UNSET.syncedEpoch()).isZero();
    assertThat(Barrier.UNSET.deprecatedEpoch()).isZero();
    assertThat(at(0, -1).syncedEpoch()).isEqualTo(1);
    assertThat(at(3, 2).syncedEpoch()).isEqualTo(4);
    assertThat(at(3, 2).deprecatedEpoch()).isEqualTo(3);
  }

  @Test
  void continues_an_object_of_a_draft_controller_js151_as71() {
    var barrier = Barrier.read(OptionalInt.empty(), OptionalInt.empty(), 3, 0);

    assertThat(barrier.current()).isEqualTo(OptionalInt.of(2));
    assertThat(barrier.previous()).isEmpty();
  }

  @Test
  void believes_the_released_pair_when_both_are_there_js151() {
    var barrier = Barrier.read(OptionalInt.of(5), OptionalInt.empty(), 3, 3);

    assertThat(barrier).isEqualTo(at(5, -1));
  }

  @Test
  void never_goes_back_js120() {
    assertThat(at(1, 4).raised().previous()).isEqualTo(OptionalInt.of(4));
    assertThatThrownBy(() -> at(3, 2).lifted(2)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void tells_pods_what_to_do_js127() {
    assertThat(at(2, 1).mayRun(2)).isTrue();
    assertThat(at(2, 1).mayRun(3)).isFalse();
    assertThat(at(2, 2).mustRestart(2)).isTrue();
    assertThat(at(2, 1).mustRestart(2)).isFalse();
    assertThat(at(2, 2).restarting()).isTrue();
    assertThat(at(2, 2).target()).isEqualTo(3);
    assertThat(at(2, 1).target()).isEqualTo(2);
    assertThat(Barrier.UNSET.target()).isZero();
  }

  private static Barrier at(int current, int previous) {
    return new Barrier(
        OptionalInt.of(current), previous < 0 ? OptionalInt.empty() : OptionalInt.of(previous));
  }
}
