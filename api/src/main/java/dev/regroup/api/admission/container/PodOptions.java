package dev.regroup.api.admission.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gate;
import dev.regroup.api.Gates;
import dev.regroup.api.tree.Trees;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which features a pod spec may use: what the gates allow, plus what the stored object already uses
 * (GATE-11, GATE-12, VAL-28): switching a gate off never makes a stored object invalid.
 */
public record PodOptions(
    boolean restartRules,
    boolean restartAll,
    boolean extendedRules,
    boolean onCompletion,
    boolean stopSignals) {

  public static final String RESTART_ALL = "RestartAllContainers";
  static final String STOP_SIGNAL = "stopSignal";

  private static final List<String> EXTENDED_ACTIONS =
      List.of("Complete", "Terminate", "TerminatePod");
  private static final List<String> EXTENDED_FIELDS =
      List.of("keep", "terminationGracePeriodSeconds", "restartTimes", "oomKill", "exit");

  public static PodOptions of(Gates gates, @Nullable JsonNode oldSpec) {
    boolean rules = gates.on(Gate.CONTAINER_RESTART_RULES);
    boolean all = gates.on(Gate.RESTART_ALL_CONTAINERS);
    boolean completion = gates.on(Gate.TERMINATE_POD_ON_COMPLETION);
    boolean signals = gates.on(Gate.CONTAINER_STOP_SIGNALS);
    boolean extended = gates.on(Gate.EXTENDED_RULES);
    if (oldSpec != null) {
      extended |= usesExtendedRules(oldSpec);
      rules |= usesRules(oldSpec);
      all |= usesRestartAll(oldSpec);
      completion |= usesOnCompletion(oldSpec);
      signals |= containers(oldSpec).stream().anyMatch(c -> Trees.has(c, "lifecycle", STOP_SIGNAL));
    }
    return new PodOptions(rules, all, extended, completion, signals);
  }

  /** Removes what a closed gate hides, silently (GATE-10). */
  public void drop(ObjectNode spec) {
    if (!stopSignals) {
      containers(spec).forEach(PodOptions::dropStopSignal);
    }
    if (restartRules) {
      return;
    }
    for (ObjectNode container : Trees.objects(spec, "containers")) {
      container.remove(List.of("restartPolicy", "restartPolicyRules"));
    }
    for (ObjectNode container : Trees.objects(spec, "initContainers")) {
      container.remove("restartPolicyRules");
      if (!Trees.text(container, "restartPolicy").equals("Always")) {
        container.remove("restartPolicy");
      }
    }
  }

  /** API-10: only the removal of this field takes an empty parent along. */
  private static void dropStopSignal(ObjectNode container) {
    Trees.object(container, "lifecycle")
        .ifPresent(lifecycle -> {
          boolean had = lifecycle.remove(STOP_SIGNAL) != null;
          if (had && lifecycle.isEmpty()) {
            container.remove("lifecycle");
          }
        });
  }

  private static List<ObjectNode> containers(JsonNode spec) {
    var all = Trees.objects(spec, "initContainers");
    all.addAll(Trees.objects(spec, "containers"));
    return all;
  }

  private static boolean usesRules(JsonNode spec) {
    return Trees.objects(spec, "containers").stream().anyMatch(c -> Trees.has(c, "restartPolicy"))
        || Trees.objects(spec, "initContainers").stream()
            .anyMatch(c ->
                Trees.has(c, "restartPolicyRules")
                    || (Trees.has(c, "restartPolicy")
                        && !Trees.text(c, "restartPolicy").equals("Always")));
  }

  private static boolean hasRestartAllRule(JsonNode spec) {
    return containers(spec).stream()
        .flatMap(c -> Trees.objects(c, "restartPolicyRules").stream())
        .anyMatch(r -> Trees.text(r, "action").equals(RESTART_ALL));
  }

  private static boolean usesRestartAll(JsonNode spec) {
    boolean sidecar =
        Trees.objects(spec, "initContainers").stream()
            .anyMatch(c ->
                Trees.text(c, "restartPolicy").equals("Always")
                    && Trees.has(c, "restartPolicyRules"));
    return sidecar || hasRestartAllRule(spec);
  }

  private static boolean usesExtendedRules(JsonNode spec) {
    return containers(spec).stream()
        .flatMap(c -> Trees.objects(c, "restartPolicyRules").stream())
        .anyMatch(r ->
            EXTENDED_ACTIONS.contains(Trees.text(r, "action"))
                || EXTENDED_FIELDS.stream().anyMatch(field -> Trees.has(r, field)));
  }

  private static boolean usesOnCompletion(JsonNode spec) {
    return containers(spec).stream().anyMatch(c -> Trees.has(c, "lifecycle", "onCompletion"));
  }
}
