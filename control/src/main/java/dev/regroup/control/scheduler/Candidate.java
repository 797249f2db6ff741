package dev.regroup.control.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.node.NodeReader;
import dev.regroup.api.pod.RestartFields;
import dev.regroup.api.tree.Trees;
import dev.regroup.control.scheduler.NodeChoice.Ask;
import dev.regroup.control.scheduler.NodeChoice.Preemption;
import dev.regroup.rules.ExitRule;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A pod, as far as placing it goes.
 *
 * @param node where it is; empty while it is nowhere
 * @param isOurs whether it waits for this scheduler
 * @param hasEnded whether it needs nothing any more
 * @param told the message that says why it waits, as stored; empty when there is none
 * @param generation of its spec
 * @param created when, as stored
 * @param devices the first claim of devices it needs, with its namespace; empty for none
 */
record Candidate(
    String node,
    boolean isOurs,
    boolean hasEnded,
    Ask ask,
    String told,
    int priority,
    long generation,
    String created,
    String devices) {

  static final String SCHEDULER = "default-scheduler";
  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

  static Candidate of(ObjectNode pod) {
    var spec = pod.path("spec");
    String phase = pod.path("status").path("phase").asText("Pending");
    boolean ours =
        spec.path("nodeName").asText("").isEmpty()
            && spec.path("schedulerName").asText(SCHEDULER).equals(SCHEDULER)
            && spec.path("schedulingGates").isEmpty()
            && !pod.path("metadata").has("deletionTimestamp")
            && phase.equals("Pending");
    String told = "";
    for (JsonNode condition : pod.path("status").path("conditions")) {
      if (condition.path("type").asText().equals("PodScheduled")) {
        told = condition.path("message").asText("");
      }
    }
    return new Candidate(
        spec.path("nodeName").asText(""),
        ours,
        ENDED.contains(phase),
        ask(pod, ours),
        told,
        spec.path("priority").asInt(0),
        pod.path("metadata").path("generation").asLong(0),
        pod.path("metadata").path("creationTimestamp").asText(""),
        devices(pod));
  }

  /** A claim that is to be made from a template has a name that begins with both. */
  private static String devices(ObjectNode pod) {
    var first = pod.path("spec").path("resourceClaims").path(0);
    if (first.isMissingNode()) {
      return "";
    }
    String made = Trees.text(pod, "metadata", "name") + "-" + first.path("name").asText("");
    return Trees.text(pod, "metadata", "namespace")
        + "/"
        + first.path("resourceClaimName").asText(made);
  }

  /** Of a pod that is placed only what it takes is of interest. */
  private static Ask ask(ObjectNode pod, boolean ours) {
    var spec = pod.path("spec");
    return new Ask(
        ours ? Map.copyOf(Trees.map(spec, "nodeSelector")) : Map.of(),
        ours ? terms(spec) : List.of(),
        ours ? NodeReader.tolerations(spec) : List.of(),
        ours ? features(spec) : Set.of(),
        Amounts.ofPod(spec),
        spec.path("preemptionPolicy").asText("").equals("Never")
            ? Preemption.NEVER
            : Preemption.ALLOWED,
        claims(pod),
        Set.of(),
        false);
  }

  /** With their namespace; a volume of the pod's own life has a claim named after both. */
  private static Set<String> claims(ObjectNode pod) {
    var claims = new HashSet<String>();
    String namespace = Trees.text(pod, "metadata", "namespace");
    for (JsonNode volume : pod.path("spec").path("volumes")) {
      String name = Trees.text(volume, "persistentVolumeClaim", "claimName");
      if (volume.has("ephemeral")) {
        name = Trees.text(pod, "metadata", "name") + "-" + volume.path("name").asText("");
      }
      if (!name.isEmpty()) {
        claims.add(namespace + "/" + name);
      }
    }
    return Set.copyOf(claims);
  }

  private static List<NodeSelectorTerm> terms(JsonNode spec) {
    if (!spec.path("affinity").isObject()) {
      return List.of();
    }
    return Optional.ofNullable(Wire.read(spec.path("affinity"), Affinity.class).getNodeAffinity())
        .map(affinity -> affinity.getRequiredDuringSchedulingIgnoredDuringExecution())
        .map(required -> required.getNodeSelectorTerms())
        .orElse(List.of());
  }

  /** GATE-15: a rule that restarts all containers needs a node that has declared it. */
  private static Set<String> features(JsonNode spec) {
    for (String list : List.of("initContainers", "containers")) {
      for (JsonNode container : spec.path(list)) {
        if (RestartFields.rules(container).stream()
            .anyMatch(rule -> rule.action() == ExitRule.Action.RESTART_ALL_CONTAINERS)) {
          return Set.of("RestartAllContainersOnContainerExits");
        }
      }
    }
    return Set.of();
  }
}
