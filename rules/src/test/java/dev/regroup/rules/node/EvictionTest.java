package dev.regroup.rules.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

@Rule("JB-113")
class EvictionTest {

  private static final Taint LOST =
      new Taint("node.kubernetes.io/unreachable", "", Taint.NO_EXECUTE);
  private static final Taint GPU = new Taint("gpu", "broken", Taint.NO_EXECUTE);

  @Test
  void a_pod_stays_where_nothing_evicts() {
    var bound = new Taint("gpu", "yes", Taint.NO_SCHEDULE);

    assertThat(Eviction.of(List.of(bound), List.of())).isEqualTo(new Eviction.Stays());
  }

  @Test
  void a_pod_goes_when_one_taint_is_not_tolerated() {
    assertThat(Eviction.of(List.of(LOST, GPU), List.of(exists(LOST.key(), 300))))
        .isEqualTo(new Eviction.Goes());
  }

  @Test
  void the_shortest_of_the_tolerations_in_use_counts() {
    var tolerations = List.of(exists(LOST.key(), 300), exists(LOST.key(), 20), exists("other", 1));

    assertThat(Eviction.of(List.of(LOST), tolerations))
        .isEqualTo(new Eviction.StaysFor(Duration.ofSeconds(20)));
  }

  @Test
  void a_toleration_without_a_limit_is_for_ever_and_one_of_nothing_is_none() {
    var always = new Toleration("", Toleration.Operator.EXISTS, "", "", Optional.empty());

    assertThat(Eviction.of(List.of(LOST, GPU), List.of(always))).isEqualTo(new Eviction.Stays());
    assertThat(Eviction.of(List.of(LOST), List.of(exists(LOST.key(), 0))))
        .isEqualTo(new Eviction.Goes());
  }

  @Test
  void a_value_must_be_equal_unless_any_will_do() {
    var equal = new Toleration("gpu", Toleration.Operator.EQUAL, "broken", "", Optional.empty());
    var other = new Toleration("gpu", Toleration.Operator.EQUAL, "old", "", Optional.empty());
    var schedules =
        new Toleration("gpu", Toleration.Operator.EXISTS, "", Taint.NO_SCHEDULE, Optional.empty());

    assertThat(equal.tolerates(GPU)).isTrue();
    assertThat(other.tolerates(GPU)).isFalse();
    assertThat(schedules.tolerates(GPU)).isFalse();
  }

  private static Toleration exists(String key, int seconds) {
    return new Toleration(
        key,
        Toleration.Operator.EXISTS,
        "",
        Taint.NO_EXECUTE,
        Optional.of(Duration.ofSeconds(seconds)));
  }
}
