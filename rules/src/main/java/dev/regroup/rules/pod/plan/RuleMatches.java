package dev.regroup.rules.pod.plan;

import dev.regroup.rules.ExitDecision;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.StopReason;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Which exits were decided by one of their container's own rules (OBS-04), read off what a plan has
 * seen. Decides nothing.
 */
public final class RuleMatches {

  private RuleMatches() {}

  /** The action of the rule, for the newest run of each container if that has ended by itself. */
  public static Map<ContainerId, ExitRule.Action> of(
      PodSpec spec, Observed seen, NodeSettings settings) {
    var view = new View(spec, seen, settings, Instant.EPOCH); // nothing here asks for the time
    Map<ContainerId, ExitRule.Action> matches = new LinkedHashMap<>();
    for (var container : spec.containers()) {
      view.current(container)
          .filter(run -> isOwnEnd(view, container, run))
          .ifPresent(run ->
              action(view.decision(container, run))
                  .ifPresent(action -> matches.put(run.id(), action)));
    }
    return matches;
  }

  /** Whether the rules are asked at all (DEC-45, DEC-50), and nobody stopped it with the others. */
  private static boolean isOwnEnd(View view, ContainerSpec container, SeenContainer run) {
    return run.hasExited()
        && container.kind() != ContainerKind.EPHEMERAL
        && !view.isSingleRestart(container, run)
        && !run.stopReason().startsAgain()
        && run.stopReason() != StopReason.POD_END
        && run.stopReason() != StopReason.RESTART_ALL;
  }

  private static Optional<ExitRule.Action> action(ExitDecision decision) {
    return switch (decision) {
      case ExitDecision.Restart(ExitDecision.By by) -> byRule(by, ExitRule.Action.RESTART);
      case ExitDecision.Stay(ExitDecision.By by) -> byRule(by, ExitRule.Action.TERMINATE);
      case ExitDecision.RestartAll _ -> Optional.of(ExitRule.Action.RESTART_ALL_CONTAINERS);
      case ExitDecision.Complete _ -> Optional.of(ExitRule.Action.COMPLETE);
      case ExitDecision.TerminatePod _ -> Optional.of(ExitRule.Action.TERMINATE_POD);
    };
  }

  private static Optional<ExitRule.Action> byRule(ExitDecision.By by, ExitRule.Action action) {
    return by == ExitDecision.By.RULE ? Optional.of(action) : Optional.empty();
  }
}
