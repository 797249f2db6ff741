package dev.regroup.control.scheduler;

import dev.regroup.control.scheduler.NodeChoice.Preemption;
import dev.regroup.control.scheduler.NodeChoice.Refusal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Why a pod fits nowhere, in the words of kube-scheduler. Pure. */
final class Refusals {

  private static final String LASTING = "Preemption is not helpful for scheduling";
  private static final String NO_VICTIMS = "No preemption victims found for incoming pod";

  private Refusals() {}

  /** One refusal for each node there is; at least one. */
  static String text(Preemption preemption, List<Refusal> refusals) {
    var reasons = new TreeMap<String, Integer>();
    var outlooks = new TreeMap<String, Integer>();
    for (Refusal refusal : refusals) {
      refusal.reasons().forEach(reason -> reasons.merge(reason, 1, Integer::sum));
      outlooks.merge(refusal.resolvable() ? NO_VICTIMS : LASTING, 1, Integer::sum);
    }
    return "0/%d nodes are available: %s. %s"
        .formatted(refusals.size(), counted(reasons), after(preemption, outlooks, refusals.size()));
  }

  /** One reason that has nothing to do with any node. */
  static String text(Preemption preemption, String reason, int nodes) {
    return "0/%d nodes are available: %s. %s"
        .formatted(nodes, reason, after(preemption, Map.of(LASTING, nodes), nodes));
  }

  /** What kube-scheduler says about pods that could make way; here none ever has to. */
  private static String after(Preemption preemption, Map<String, Integer> outlooks, int nodes) {
    String outcome =
        switch (preemption) {
          case NEVER -> "not eligible due to preemptionPolicy=Never.";
          case ALLOWED -> "0/%d nodes are available: %s.".formatted(nodes, counted(outlooks));
        };
    return "no new claims to deallocate, preemption: " + outcome;
  }

  private static String counted(Map<String, Integer> texts) {
    return texts.entrySet().stream()
        .map(entry -> entry.getValue() + " " + entry.getKey())
        .sorted()
        .collect(Collectors.joining(", "));
  }
}
