package dev.regroup.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.pod.StatusReader;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.node.NodeHealth.Said;
import dev.regroup.rules.node.Taint;
import dev.regroup.rules.node.Toleration;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads what a node says of itself, what keeps pods away from it, and what pods put up with. */
public final class NodeReader {

  public static final String READY = "Ready";

  private NodeReader() {}

  public static Said said(JsonNode node) {
    return ready(node)
        .map(condition ->
            switch (Trees.text(condition, "status")) {
              case "True" -> Said.READY;
              case "False" -> Said.NOT_READY;
              default -> Said.UNKNOWN;
            })
        .orElse(Said.NOTHING);
  }

  /** When it last said so, as stored. */
  public static String heartbeat(JsonNode node) {
    return ready(node).map(condition -> Trees.text(condition, "lastHeartbeatTime")).orElse("");
  }

  public static List<Taint> taints(JsonNode node) {
    return Trees.objects(node, "spec", "taints").stream().map(NodeReader::taint).toList();
  }

  static Taint taint(ObjectNode taint) {
    return new Taint(
        Trees.text(taint, "key"), Trees.text(taint, "value"), Trees.text(taint, "effect"));
  }

  /** Of the {@code spec} of a pod. */
  public static List<Toleration> tolerations(JsonNode spec) {
    return Trees.objects(spec, "tolerations").stream().map(NodeReader::toleration).toList();
  }

  private static Toleration toleration(ObjectNode toleration) {
    OptionalLong seconds = Trees.number(toleration, "tolerationSeconds");
    return new Toleration(
        Trees.text(toleration, "key"),
        Trees.text(toleration, "operator").equals("Exists")
            ? Toleration.Operator.EXISTS
            : Toleration.Operator.EQUAL,
        Trees.text(toleration, "value"),
        Trees.text(toleration, "effect"),
        seconds.isPresent()
            ? Optional.of(Duration.ofSeconds(Math.max(0, seconds.getAsLong())))
            : Optional.empty());
  }

  private static Optional<ObjectNode> ready(JsonNode node) {
    return StatusReader.condition(node.path("status"), READY);
  }
}
