package dev.regroup.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class GatesTest {

  @Test
  void gate_09_the_product_turns_its_features_on_and_decodes_leniently() {
    var gates = Gates.product();

    assertThat(gates.on(Gate.EXTENDED_RULES)).isTrue();
    assertThat(gates.on(Gate.TERMINATE_POD_ON_COMPLETION)).isTrue();
    assertThat(gates.on(Gate.IN_PLACE_RESTART)).isTrue();
    assertThat(gates.decoding()).isEqualTo(Decoding.LENIENT);
  }

  @Test
  void gate_09_upstream_is_exactly_kubernetes_and_strict() {
    var gates = Gates.upstream();

    assertThat(gates.on(Gate.CONTAINER_RESTART_RULES)).isTrue();
    assertThat(gates.on(Gate.RESTART_ALL_CONTAINERS)).isTrue();
    assertThat(gates.on(Gate.EXTENDED_RULES)).isFalse();
    assertThat(gates.on(Gate.ELASTIC_JOB_SET)).isFalse();
    assertThat(gates.decoding()).isEqualTo(Decoding.STRICT);
  }

  @Test
  void gate_01_gate_02_gate_03_restart_gates_are_on_in_both_presets() {
    for (Gates gates : List.of(Gates.product(), Gates.upstream())) {
      assertThat(gates.on(Gate.CONTAINER_RESTART_RULES)).isTrue();
      assertThat(gates.on(Gate.RESTART_ALL_CONTAINERS)).isTrue();
      assertThat(gates.on(Gate.NODE_DECLARED_FEATURES)).isTrue();
    }
  }

  @Test
  void gate_06_gate_07_gate_08_back_off_and_status_gates_are_as_upstream() {
    for (Gates gates : List.of(Gates.product(), Gates.upstream())) {
      assertThat(gates.on(Gate.CRASH_LOOP_BACK_OFF_MAX)).isTrue();
      assertThat(gates.on(Gate.REDUCE_CRASH_LOOP_BACK_OFF)).isFalse();
      assertThat(gates.on(Gate.CHANGE_STATUS_ON_NODE_RESTART)).isFalse();
    }
  }

  @Test
  void gate_04_an_old_name_sets_the_gate_and_warns() {
    var parsed = Gates.upstream().with("RestartPodOnContainerExits=false,KeystoneContainers=true");

    assertThat(parsed.gates().on(Gate.RESTART_ALL_CONTAINERS)).isFalse();
    assertThat(parsed.gates().on(Gate.TERMINATE_POD_ON_COMPLETION)).isTrue();
    assertThat(parsed.warnings()).hasSize(2);
  }

  @Test
  void gate_06_gate_08_a_gate_that_changes_nothing_says_so() {
    var other =
        "KubeletCrashLoopBackOffMax=false,ChangeContainerStatusOnKubeletRestart=true"
            + ",ReduceDefaultCrashLoopBackOffDecay=true";
    var same = "KubeletCrashLoopBackOffMax=true,ChangeContainerStatusOnKubeletRestart=false";

    assertThat(Gates.product().with(other).warnings())
        .containsExactly(
            "feature gate KubeletCrashLoopBackOffMax changes nothing here",
            "feature gate ChangeContainerStatusOnKubeletRestart changes nothing here");
    assertThat(Gates.product().with(same).warnings()).isEmpty();
  }

  /** ACC-166. */
  @Test
  void gate_02_a_gate_whose_need_is_off_stops_the_start() {
    assertThatThrownBy(() -> Gates.product().with("ContainerRestartRules=false"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("RestartAllContainersOnContainerExits is on but needs");
  }

  @Test
  void gate_09_a_prefix_sets_one_component_only() {
    var gates = Gates.product().with("node/RestartAllContainersOnContainerExits=false").gates();

    assertThat(gates.on(Gate.RESTART_ALL_CONTAINERS, Gates.Component.NODE)).isFalse();
    assertThat(gates.on(Gate.RESTART_ALL_CONTAINERS, Gates.Component.SERVER)).isTrue();
  }

  @Test
  void js_170_every_problem_of_a_setting_is_named_at_once() {
    assertThatThrownBy(
            () -> Gates.product().with("Nope=true,InPlaceRestart=maybe,TLSOptions=false"))
        .hasMessageContaining("unknown gate \"Nope\"")
        .hasMessageContaining("InPlaceRestart is true or false, not \"maybe\"")
        .hasMessageContaining("TLSOptions is locked to true");
  }
}
