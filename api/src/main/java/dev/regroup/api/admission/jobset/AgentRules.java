package dev.regroup.api.admission.jobset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.pod.RestartFields;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.ExitRule;
import dev.regroup.rules.group.WorkerEnd;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/**
 * The user's rules for a worker that an agent runs (JS-132a). The agent is the container, so it
 * carries them out; the node only has to restart an agent that was killed, and to leave alone one
 * that ended because the rules say so.
 */
record AgentRules(ArrayNode list) {

  private static final int LARGEST_CODE = 255;

  /**
   * The rules of the annotation {@link JobSetKeys#RULES}, else those of the container; empty for
   * none, and for some that an agent cannot judge: those stay with the node.
   */
  static Optional<AgentRules> of(ObjectNode container, JsonNode annotations) {
    return list(container, annotations)
        .filter(list -> !namesOomKill(list))
        .map(list -> new AgentRules(list.deepCopy()));
  }

  /** Whether the container has rules and these are among those that an agent cannot judge. */
  static boolean namesOomKill(ObjectNode container, JsonNode annotations) {
    return list(container, annotations).filter(AgentRules::namesOomKill).isPresent();
  }

  private static Optional<ArrayNode> list(ObjectNode container, JsonNode annotations) {
    JsonNode carried =
        carried(annotations).path(Trees.text(container, "name")).path("restartPolicyRules");
    JsonNode rules = carried.isEmpty() ? container.path("restartPolicyRules") : carried;
    return rules instanceof ArrayNode list && !list.isEmpty()
        ? Optional.of(list)
        : Optional.empty();
  }

  private static JsonNode carried(JsonNode annotations) {
    String text = Trees.text(annotations, JobSetKeys.RULES);
    try {
      return text.isEmpty() ? Wire.object() : Wire.tree(text);
    } catch (UncheckedIOException e) {
      return Wire.object(); // only past validation
    }
  }

  /** The kernel may end the agent together with a worker that used too much memory. */
  private static boolean namesOomKill(ArrayNode list) {
    return RestartFields.list(list).stream()
        .anyMatch(rule -> rule.condition() instanceof ExitRule.Condition.OomKill);
  }

  /** For the agent. */
  String text() {
    ObjectNode object = Wire.object();
    object.set("restartPolicyRules", list);
    return Wire.text(object);
  }

  /** What is left for the node: all containers again, unless the agent may have meant its end. */
  void leaveToNode(ObjectNode container) {
    List<ExitRule> rules = RestartFields.list(list);
    ObjectNode codes = Wire.object().put("operator", "In");
    ArrayNode values = codes.putArray("values");
    for (int code = 1; code <= LARGEST_CODE; code++) {
      if (!WorkerEnd.mayEndWith(code, rules)) {
        values.add(code);
      }
    }
    container.put("restartPolicy", "Never");
    ArrayNode left = container.putArray("restartPolicyRules");
    if (!values.isEmpty()) {
      left.addObject().put("action", "RestartAllContainers").set("exitCodes", codes);
    }
  }
}
