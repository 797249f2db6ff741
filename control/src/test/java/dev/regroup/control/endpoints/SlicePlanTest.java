package dev.regroup.control.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.control.endpoints.SlicePlan.Endpoint;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SlicePlanTest {

  @Test
  void a_service_without_endpoints_has_one_empty_slice() {
    var plan = SlicePlan.of(List.of(), Map.of());

    assertThat(plan.create()).containsExactly(List.of());
    assertThat(plan.update()).isEmpty();
  }

  @Test
  void nothing_is_done_when_nothing_changed() {
    var present = Map.of("s", List.of(endpoint(1, true)));

    var plan = SlicePlan.of(List.of(endpoint(1, true)), present);

    assertThat(plan).isEqualTo(new SlicePlan(List.of(), Map.of(), List.of()));
  }

  @Test
  void a_changed_endpoint_rewrites_only_its_slice() {
    var present = Map.of("s", List.of(endpoint(1, true)), "t", List.of(endpoint(2, true)));

    var plan = SlicePlan.of(List.of(endpoint(1, true), endpoint(2, false)), present);

    assertThat(plan.update()).containsExactly(Map.entry("t", List.of(endpoint(2, false))));
    assertThat(plan.create()).isEmpty();
    assertThat(plan.delete()).isEmpty();
  }

  @Test
  void newcomers_fill_slices_before_new_ones_are_made() {
    var hundred = IntStream.range(0, 100).mapToObj(i -> endpoint(i, true)).toList();
    var all = IntStream.range(0, 150).mapToObj(i -> endpoint(i, true)).toList();

    var plan = SlicePlan.of(all, Map.of("s", hundred));

    assertThat(plan.update()).isEmpty();
    assertThat(plan.create()).hasSize(1);
    assertThat(plan.create().getFirst()).hasSize(50);
  }

  @Test
  void slices_that_became_empty_go_but_one() {
    var present = Map.of("s", List.of(endpoint(1, true)), "t", List.of(endpoint(2, true)));

    var plan = SlicePlan.of(List.of(), present);

    assertThat(plan.delete()).hasSize(1);
    assertThat(plan.update()).hasSize(1);
  }

  private static Endpoint endpoint(int i, boolean ready) {
    return new Endpoint("uid-" + i, "pod-" + i, "10.0.0." + i, "", "node", ready, ready, false);
  }
}
