package dev.regroup.cli;

import dev.regroup.cli.local.Switches;
import dev.regroup.cli.screen.CliFailure;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The option that sets what is no feature gate, shared by the commands that start a cluster. */
final class SwitchOptions {

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = {
        "A setting of nodes or controllers; may be repeated. Keys and defaults (those of"
            + " --gates=upstream in brackets):",
        "requests=weighed; ignored starts pods that ask for more than there is",
        "podRestartBackOff=on (off)",
        "phaseDuringInPlaceRestart=pending (upstream)",
        "podConditionNames=new; or both",
        "crashLoopBackOff.maxContainerRestartPeriod=300s",
        "nodeMonitorGracePeriod=50s: a node that is silent for longer is lost",
        "podForceFailAfter=off; or how long after that its pods fail",
        "failOnNodeUnreachable=true; false lets groups wait for its pods"
      })
  List<String> settings = new ArrayList<>();

  Switches switches() throws CliFailure {
    return Switches.of(settings);
  }
}
