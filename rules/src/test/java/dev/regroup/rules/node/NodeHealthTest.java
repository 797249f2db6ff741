package dev.regroup.rules.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.node.NodeHealth.Said;
import dev.regroup.rules.node.NodeHealth.Voice;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeHealthTest {

  @ParameterizedTest(name = "{0}, {1}: {2}")
  @CsvSource({
    "READY, HEARD, FINE",
    "READY, SILENT, UNREACHABLE",
    "NOT_READY, HEARD, NOT_READY",
    "NOT_READY, SILENT, UNREACHABLE",
    "UNKNOWN, HEARD, UNREACHABLE",
    "UNKNOWN, SILENT, UNREACHABLE",
    "NOTHING, HEARD, FINE",
    "NOTHING, SILENT, UNREACHABLE",
  })
  @Rule("JB-113")
  void follows_from_what_the_node_said_and_whether_it_is_heard(
      Said said, Voice voice, NodeHealth health) {
    assertThat(NodeHealth.of(said, voice)).isEqualTo(health);
  }

  @Test
  @Rule("JB-113")
  void keeps_pods_away_by_two_taints() {
    assertThat(NodeHealth.FINE.taints()).isEmpty();
    assertThat(NodeHealth.UNREACHABLE.taints())
        .containsExactly(
            new Taint("node.kubernetes.io/unreachable", "", "NoSchedule"),
            new Taint("node.kubernetes.io/unreachable", "", "NoExecute"));
    assertThat(NodeHealth.NOT_READY.taints())
        .containsExactly(
            new Taint("node.kubernetes.io/not-ready", "", "NoSchedule"),
            new Taint("node.kubernetes.io/not-ready", "", "NoExecute"));
  }

  @Test
  void nodes_are_heard_often_enough_for_any_grace() {
    var usual = NodeLossSettings.DEFAULT;
    assertThat(usual.renewal()).isEqualTo(Duration.ofSeconds(10));
    assertThat(usual.period()).isEqualTo(Duration.ofSeconds(5));

    var quick =
        new NodeLossSettings(
            Duration.ofSeconds(5), Optional.empty(), NodeLossSettings.Groups.RESTART);
    assertThat(quick.renewal()).isEqualTo(Duration.ofSeconds(1));
    assertThat(quick.period()).isEqualTo(Duration.ofMillis(500));
  }

  @Test
  void time_in_which_a_program_stood_still_counts_for_nobody() {
    var longest = Duration.ofSeconds(15);
    var awake = WakingTime.from(0).at(seconds(5), longest).at(seconds(20), longest);
    assertThat(awake.total()).isEqualTo(Duration.ofSeconds(20));

    var slept = awake.at(seconds(3600), longest);
    assertThat(slept.total()).isEqualTo(Duration.ofSeconds(20));
    assertThat(slept.at(seconds(3605), longest).total()).isEqualTo(Duration.ofSeconds(25));
  }

  private static long seconds(int count) {
    return Duration.ofSeconds(count).toNanos();
  }
}
