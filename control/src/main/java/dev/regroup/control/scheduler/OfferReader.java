package dev.regroup.control.scheduler;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Trees;
import dev.regroup.control.scheduler.NodeChoice.Offer;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.ArrayList;
import java.util.Map;
import java.util.Set;

/** Reads what a node offers. */
final class OfferReader {

  private OfferReader() {}

  static Offer read(ObjectNode node) {
    var taints = new ArrayList<Taint>();
    node.path("spec").path("taints").forEach(item -> taints.add(Wire.read(item, Taint.class)));
    return new Offer(
        Trees.text(node, "metadata", "name"),
        Map.copyOf(Trees.map(node, "metadata", "labels")),
        taints,
        Trees.at(node, "spec", "unschedulable").asBoolean(),
        Set.copyOf(Trees.texts(node, "status", "declaredFeatures")),
        Amounts.of(Trees.at(node, "status", "allocatable")),
        Amounts.NONE,
        0);
  }
}
