package dev.regroup.control.scheduler;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.node.NodeReader;
import dev.regroup.api.tree.Trees;
import dev.regroup.control.scheduler.NodeChoice.Offer;
import java.util.Map;
import java.util.Set;

/** Reads what a node offers. */
final class OfferReader {

  private OfferReader() {}

  static Offer read(ObjectNode node) {
    return new Offer(
        Trees.text(node, "metadata", "name"),
        Map.copyOf(Trees.map(node, "metadata", "labels")),
        NodeReader.taints(node),
        Trees.at(node, "spec", "unschedulable").asBoolean(),
        Set.copyOf(Trees.texts(node, "status", "declaredFeatures")),
        Amounts.of(Trees.at(node, "status", "allocatable")),
        Amounts.NONE,
        0);
  }
}
