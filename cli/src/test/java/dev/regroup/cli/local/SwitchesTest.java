package dev.regroup.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.cli.screen.CliFailure;
import dev.regroup.control.scheduler.Scheduler;
import dev.regroup.rules.node.NodeLossSettings;
import dev.regroup.rules.pod.NodeSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SwitchesTest {

  @Test
  void what_is_not_set_keeps_the_value_of_the_preset() throws CliFailure {
    assertThat(Switches.of(List.of()).onTopOf(NodeSettings.upstream()))
        .isEqualTo(NodeSettings.upstream());
    assertThat(Switches.of(List.of()).requests()).isEqualTo(Scheduler.Requests.WEIGHED);
  }

  @Test
  void every_setting_reaches_the_node_or_the_scheduler() throws CliFailure {
    var switches =
        Switches.of(
            List.of(
                "podRestartBackOff=off",
                "phaseDuringInPlaceRestart=upstream",
                "podConditionNames=both",
                "crashLoopBackOff.maxContainerRestartPeriod=7s",
                "requests=weighed",
                "requests=ignored"));

    var settings = switches.onTopOf(NodeSettings.product());
    assertThat(settings.podRestartBackOff()).isEqualTo(NodeSettings.PodRestartBackOff.OFF);
    assertThat(settings.phaseDuringRestart()).isEqualTo(NodeSettings.PhaseDuringRestart.UPSTREAM);
    assertThat(settings.conditionNames()).isEqualTo(NodeSettings.ConditionNames.BOTH);
    assertThat(settings.backOffMax()).isEqualTo(Duration.ofSeconds(7));
    assertThat(settings.backOffInitial()).as("GATE-06").isEqualTo(Duration.ofSeconds(7));
    assertThat(switches.requests()).isEqualTo(Scheduler.Requests.IGNORED);
  }

  @Test
  void what_becomes_of_lost_nodes_can_be_set_js136_js160() throws CliFailure {
    assertThat(Switches.of(List.of()).nodeLoss()).isEqualTo(NodeLossSettings.DEFAULT);
    assertThat(Switches.of(List.of("podForceFailAfter=off")).nodeLoss())
        .isEqualTo(NodeLossSettings.DEFAULT);

    var set =
        Switches.of(
            List.of(
                "nodeMonitorGracePeriod=5s",
                "podForceFailAfter=30s",
                "failOnNodeUnreachable=false"));

    assertThat(set.nodeLoss())
        .isEqualTo(
            new NodeLossSettings(
                Duration.ofSeconds(5),
                Optional.of(Duration.ofSeconds(30)),
                NodeLossSettings.Groups.WAIT));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          podForceFail=1                                  | --set: unknown key "podForceFail" (podRestartBackOff, phaseDuringInPlaceRestart, podConditionNames, crashLoopBackOff.maxContainerRestartPeriod, requests, nodeMonitorGracePeriod, podForceFailAfter, failOnNodeUnreachable)
          podRestartBackOff                               | --set: podRestartBackOff is on or off, not ""
          requests=maybe                                  | --set: requests is weighed or ignored, not "maybe"
          crashLoopBackOff.maxContainerRestartPeriod=301s | --set: crashLoopBackOff.maxContainerRestartPeriod is 1s to 300s, not "301s"
          podForceFailAfter=on                            | --set: podForceFailAfter is off or 1s to 300s, not "on"
          nodeMonitorGracePeriod=off                      | --set: nodeMonitorGracePeriod is 1s to 300s, not "off"
          """)
  void what_is_wrong_is_said(String setting, String said) {
    assertThatThrownBy(() -> Switches.of(List.of(setting))).hasMessage(said);
  }
}
