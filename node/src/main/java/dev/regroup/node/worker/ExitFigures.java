package dev.regroup.node.worker;

import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.plan.RuleMatches;
import java.util.HashSet;
import java.util.Set;

/**
 * Counts what exits of one pod's containers led to (OBS-04): which of them a rule decided, and the
 * end of the pod when one of them ended it. Plans are made again and again: each exit counts once,
 * and what a status already tells was counted by the node that wrote it. Belongs to the pod's
 * worker.
 */
final class ExitFigures {

  static final MetricFamily MATCHES =
      MetricFamily.counter(
          "container_restart_rule_matches_total", "Exits that a restart rule decided", "action");

  static final MetricFamily TERMINATIONS =
      MetricFamily.counter(
          "pod_terminations_on_completion_total",
          "Pods that ended because one of their containers did",
          "phase");

  private final Metrics metrics;
  private final NodeSettings settings;
  private final Set<ContainerId> known = new HashSet<>();

  /** With the status that a node before this one may have written. */
  ExitFigures(Metrics metrics, NodeSettings settings, PodStatus told) {
    this.metrics = metrics;
    this.settings = settings;
    for (var container : told.containers()) {
      if (container.state() instanceof ContainerState.Terminated) {
        known.add(container.containerId());
      }
    }
  }

  /** A plan was made from this; {@code before} is the status of the plan before. */
  void planned(PodSpec spec, Observed seen, PodStatus before, PodStatus now) {
    if (spec.containers().stream().anyMatch(container -> !container.rules().isEmpty())) {
      countMatches(spec, seen);
    }
    if (now.phase().isTerminal()
        && !before.phase().isTerminal()
        && now.reason().equals(PodStatus.ON_COMPLETION)) {
      metrics.count(TERMINATIONS, now.phase().wireName());
    }
  }

  private void countMatches(PodSpec spec, Observed seen) {
    var ended = new HashSet<ContainerId>();
    for (var run : seen.records()) {
      if (run.state() == SeenContainer.State.EXITED) {
        ended.add(run.id());
      }
    }
    if (!known.containsAll(ended)) {
      RuleMatches.of(spec, seen, settings)
          .forEach((run, action) -> {
            if (!known.contains(run)) {
              metrics.count(MATCHES, action.wireName());
            }
          });
    }
    known.retainAll(ended);
    known.addAll(ended);
  }
}
